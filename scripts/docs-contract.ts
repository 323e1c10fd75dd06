import { errorRegistry, type Operation, operations, toJsonSchema } from "@rungs/contract";

const NOTE = "This page is made by `npm run docs`.";

/** Renders the page of all errors. */
export function renderErrorsPage(): string {
  const rows = Object.entries(errorRegistry).map(
    ([code, { status, message, next }]) => `| \`${code}\` | ${status} | ${message} | ${next} |`,
  );
  return [
    "# Errors",
    "",
    `Every refusal has a code, says what was wrong and where, and what to do next. ${NOTE}`,
    "",
    "| code | status | what it means | what to do next |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

/** Renders the page of all operations. */
export function renderOperationsPage(): string {
  const sections = Object.values(operations).map((operation) => renderOperation(operation as Operation));
  return ["# Operations", "", `What may be asked, over REST. ${NOTE}`, "", ...sections].join("\n");
}

function renderOperation({ name, summary, method, path, kind, input, errors }: Operation): string {
  const { properties = {}, required = [] } = toJsonSchema(input, "input") as {
    properties?: Record<string, { description?: string }>;
    required?: string[];
  };
  const rows = Object.entries(properties).map(
    ([parameter, { description = "" }]) =>
      `| \`${parameter}\` | ${required.includes(parameter) ? "yes" : ""} | ${description} |`,
  );
  const parameters = rows.length > 0 ? ["| parameter | needed | |", "|---|---|---|", ...rows, ""] : [];
  return [
    `## ${name}`,
    "",
    `\`${method} ${path}\` · ${kind} token`.replace("public token", "no token"),
    "",
    summary,
    "",
    ...parameters,
    `Refusals: ${errors.map((code) => `\`${code}\``).join(", ")}.`,
    "",
  ].join("\n");
}
