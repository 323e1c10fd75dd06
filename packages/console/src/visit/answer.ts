import type { Html } from "../ui/html.ts";
import type { Visit } from "./visit.ts";

/** A page before the frame that all pages share is put around it. */
export interface PageContent {
  readonly title: string;
  readonly body: Html;
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Loads the page again after some seconds, or another one: how progress is shown without a script. */
  readonly refresh?: { readonly seconds: number; readonly to?: string | undefined } | undefined;
}

/** What a page's function gives: content to be framed, or an answer that is whole already. */
export type PageAnswer = PageContent | Response;

/** Shows a page. */
export type Show = (visit: Visit) => Promise<PageAnswer>;

/** Does what a form asks for. */
export type Act = (visit: Visit, form: URLSearchParams) => Promise<PageAnswer>;

/** Sends the browser on to a page, so that loading it again repeats nothing. */
export function goTo(path: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status: 303, headers: { ...headers, Location: path } });
}
