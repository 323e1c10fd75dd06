import type { Act, PageAnswer, Show } from "./answer.ts";
import type { Guest } from "./visit.ts";

/** A page of the owner's, or what one of its forms does. */
export type OwnerRoute =
  | { readonly method: "GET"; readonly path: string; readonly guest?: false; readonly show: Show }
  | { readonly method: "POST"; readonly path: string; readonly guest?: false; readonly act: Act }
  /** Takes a body that is too large to be read as a form, and checks the form's token itself. */
  | { readonly method: "POST"; readonly path: string; readonly guest?: false; readonly upload: Show };

/** A page for somebody who is not signed in, or what one of its forms does. */
export type GuestRoute =
  | {
      readonly method: "GET";
      readonly path: string;
      readonly guest: true;
      readonly show: (guest: Guest) => Promise<PageAnswer>;
    }
  | {
      readonly method: "POST";
      readonly path: string;
      readonly guest: true;
      readonly act: (guest: Guest, form: URLSearchParams) => Promise<PageAnswer>;
    };

/** What one address of the console answers. */
export type Route = OwnerRoute | GuestRoute;
