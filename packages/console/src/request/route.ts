import type { PageContent } from "../ui/page.ts";
import type { ConsoleRequest, OwnerRequest } from "./console-request.ts";

/** What a page's function returns: content to be framed, or a complete response. */
export type PageAnswer = PageContent | Response;

/** Shows a page of the owner's. */
export type Show = (request: OwnerRequest) => Promise<PageAnswer>;

/** Handles a form submission of the owner's. */
export type Act = (request: OwnerRequest, form: URLSearchParams) => Promise<PageAnswer>;

/** A page that requires a session, or one of its forms. */
export type OwnerRoute =
  | { readonly method: "GET"; readonly path: string; readonly is_public?: false; readonly show: Show }
  | { readonly method: "POST"; readonly path: string; readonly is_public?: false; readonly act: Act }
  /** Takes a body that is too large to buffer, and checks the CSRF token itself. */
  | { readonly method: "POST"; readonly path: string; readonly is_public?: false; readonly upload: Show };

/** A page that requires no session, or one of its forms. */
export type PublicRoute =
  | {
      readonly method: "GET";
      readonly path: string;
      readonly is_public: true;
      readonly show: (request: ConsoleRequest) => Promise<PageAnswer>;
    }
  | {
      readonly method: "POST";
      readonly path: string;
      readonly is_public: true;
      readonly act: (request: ConsoleRequest, form: URLSearchParams) => Promise<PageAnswer>;
    };

/** One route of the console. */
export type Route = OwnerRoute | PublicRoute;

/** Redirects with 303, so that reloading the page does not submit the form again. */
export function redirectTo(path: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status: 303, headers: { ...headers, Location: path } });
}
