import type { ErrorBody } from "@rungs/contract";
import type { PageContent } from "../visit/answer.ts";
import { html } from "./html.ts";

/** A refusal in words: what was wrong, what to do next, and what to quote when asking for help. */
export function describeRefusalPage(status: number, { error }: ErrorBody): PageContent {
  const { message, next, code, request_id } = error;
  return {
    title: status >= 500 ? "Something went wrong" : "That did not work",
    status,
    body: html`<p class="lead">${message}</p><p>${next}</p>
<p class="small">${code}${request_id === undefined ? "" : `, request ${request_id}`}</p>
<p><a href="/console">To the first page</a></p>`,
  };
}
