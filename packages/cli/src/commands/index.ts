import type { Command } from "../command.ts";
import { audit } from "./audit.ts";
import { connections } from "./connections.ts";
import { grantCreate } from "./grant-create.ts";
import { grantList } from "./grant-list.ts";
import { grantRevoke } from "./grant-revoke.ts";
import { grantShow } from "./grant-show.ts";
import { importRecords } from "./import.ts";
import { mcp } from "./mcp.ts";
import { serve } from "./serve.ts";
import { tokenOwner } from "./token-owner.ts";

/** Every command, in the order in which `--help` lists them. */
export const commands: readonly Command[] = [
  serve,
  importRecords,
  connections,
  grantCreate,
  grantList,
  grantShow,
  grantRevoke,
  audit,
  mcp,
  tokenOwner,
];
