/** The failing scenarios of the conformance suite, scored or not, each with its reason. */

const NO_TASKS =
  "The extension io.modelcontextprotocol/tasks (not scored): every read is bounded and answers at once, so there is nothing to poll, and the server advertises no such extension.";
const NO_REQUESTS =
  "It needs a request from the server to the client. The adapter asks nothing of its host (R50), and over HTTP it keeps no session in which to ask.";

/** By revision and scenario. */
export const expectedFailures: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "2026-07-28": {
    ...Object.fromEntries(
      [
        "tasks-lifecycle",
        "tasks-capability-negotiation",
        "tasks-wire-fields",
        "tasks-request-state-removal",
        "tasks-mrtr-input",
        "tasks-request-headers",
        "tasks-dispatch-and-envelope",
        "tasks-required-task-error",
        "tasks-mrtr-composition",
      ].map((scenario) => [scenario, NO_TASKS]),
    ),
    "http-custom-header-server-validation":
      "Pending in the suite (not scored), about tools with x-mcp-header: no tool of ours has one, because arguments may hold a person's words, which proxies would log.",
  },
  "2025-11-25": {
    "tools-call-sampling": NO_REQUESTS,
    "tools-call-elicitation": NO_REQUESTS,
    "elicitation-sep1034-defaults": NO_REQUESTS,
    "elicitation-sep1330-enums": NO_REQUESTS,
  },
};

const OUTCOME = /^\s*([✓✗]) ([a-z0-9-]+): \d+ passed, \d+ failed/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal
const COLOUR = /\u001b\[[0-9;]*m/g;

/** The differences between a run and the expected failures, a sentence each; none means a pass. */
export function compareFailures(revision: string, output: string): string[] {
  const outcomes = output
    .replaceAll(COLOUR, "")
    .split("\n")
    .flatMap((line) => {
      const [, mark, scenario = ""] = OUTCOME.exec(line) ?? [];
      return mark ? [{ scenario, has_failed: mark === "✗" }] : [];
    });
  const expected = expectedFailures[revision] ?? {};
  const failed = outcomes.filter(({ has_failed }) => has_failed).map(({ scenario }) => scenario);
  return [
    ...(outcomes.length === 0 ? [`${revision}: the suite printed no outcome`] : []),
    ...failed.filter((name) => !(name in expected)).map((name) => `${revision}: ${name} failed`),
    ...Object.keys(expected)
      .filter((name) => !failed.includes(name))
      .map((name) => `${revision}: ${name} is expected to fail, but does not`),
  ];
}
