import { renderCommandsPage } from "./docs-cli.ts";
import { renderErrorsPage, renderOperationsPage } from "./docs-contract.ts";
import { renderHostPages } from "./docs-hosts.ts";

/** The generated pages, by file name below docs/. */
export async function generatedPages(): Promise<Record<string, string>> {
  return {
    "cli.md": await renderCommandsPage(),
    "errors.md": renderErrorsPage(),
    "operations.md": renderOperationsPage(),
    ...renderHostPages(),
  };
}
