/** Limits of the whole grant: masked values, lifetime, budget. */
import type { GrantBudget } from "@rungs/contract";
import { type MaskKind, type MaskRules, maskKindSchema } from "@rungs/evidence";
import type { ConsentDecision } from "@rungs/server";
import { type Html, html } from "../ui/html.ts";
import { formatCount } from "../ui/words.ts";
import { BUDGET_UNITS } from "./read-choice.ts";

const EXPIRIES = [1, 7, 30, 90, 365];
const DAY_WORDS: Readonly<Record<number, string>> = { 1: "a day", 7: "a week", 365: "a year" };

const KIND_WORDS: Readonly<Record<MaskKind, string>> = {
  phone: "phone numbers",
  email: "e-mail addresses",
  address: "street addresses",
  card: "payment cards",
  iban: "bank accounts (IBAN)",
  national_id: "national ids",
  secret: "passwords and keys",
};

const BUDGET_WORDS: Readonly<Record<keyof GrantBudget, string>> = {
  records_per_day: "Records per day",
  records: "Records in all",
  bytes_per_day: "MB per day",
  bytes: "MB in all",
};

/** Names the kinds of values that rules mask. */
export function describeMasks({ kinds = [], words = [], expressions = [] }: MaskRules): string {
  const own = words.length + expressions.length;
  return [...kinds.map((kind) => KIND_WORDS[kind]), ...(own === 0 ? [] : ["your own words"])].join(", ");
}

/** Renders the values to mask wherever they occur. */
export function renderMasks(masks: MaskRules | undefined): Html {
  const { kinds = [], words = [], expressions = [] } = masks ?? {};
  const lines = [...words, ...expressions.map((source) => `/${source}/`)];
  const what = describeMasks(masks ?? {});
  return html`<details class="card masks" id="masks"${what === "" ? "" : html` open`}><summary>Without some values, such as phone numbers</summary>
<div class="checks" role="group" aria-label="Values to mask">${maskKindSchema.options.map(
    (kind) =>
      html`<label class="check"><input type="checkbox" name="mask" value="${kind}"${kinds.includes(kind) ? html` checked` : ""}> ${KIND_WORDS[kind]}</label>`,
  )}</div>
<details id="words"${lines.length > 0 ? html` open` : ""}><summary>Your own words</summary>
<label for="own-words" class="small">One on each line; /…/ is an expression</label>
<textarea id="own-words" name="words" rows="3" autocomplete="off" spellcheck="false">${lines.join("\n")}</textarea></details></details>`;
}

/** Renders how long the grant lasts. */
export function renderLifetime({ expires_in_days: chosen }: ConsentDecision): Html {
  const days = [...new Set([...EXPIRIES, ...(chosen === undefined ? [] : [chosen])])].sort((a, b) => a - b);
  return html`<label for="expires">For how long</label><select id="expires" name="expires_in_days"><option value="">Until I revoke it</option>
${days.map((each) => html`<option value="${each}"${each === chosen ? html` selected` : ""}>${DAY_WORDS[each] ?? formatCount(each, "day")}</option>`)}</select>`;
}

/** Renders how much may be read. */
export function renderBudget(budget: GrantBudget | undefined): Html {
  const limits = Object.entries(BUDGET_UNITS) as [keyof GrantBudget, number][];
  return html`<details id="budget"${budget ? html` open` : ""}><summary>Limit how much it reads</summary>
<div class="budget">${limits.map(([name, unit]) => {
    const limit = budget?.[name];
    return html`<label>${BUDGET_WORDS[name]} <input type="number" name="${name}" min="${unit === 1 ? 1 : 0.001}" step="${unit === 1 ? 1 : "any"}" inputmode="decimal" value="${limit === undefined ? "" : limit / unit}"></label>`;
  })}</div></details>`;
}
