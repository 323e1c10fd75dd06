import type { Command } from "../command.ts";
import { aggregate } from "./aggregate.ts";
import { audit } from "./audit.ts";
import { backup } from "./backup.ts";
import { blob } from "./blob.ts";
import { connections } from "./connections.ts";
import { demo } from "./demo.ts";
import { doctor } from "./doctor.ts";
import { exportRecords } from "./export.ts";
import { fetch } from "./fetch.ts";
import { grantCreate } from "./grant-create.ts";
import { grantList } from "./grant-list.ts";
import { grantRevoke } from "./grant-revoke.ts";
import { grantShow } from "./grant-show.ts";
import { importRecords } from "./import.ts";
import { mcp } from "./mcp.ts";
import { query } from "./query.ts";
import { read } from "./read.ts";
import { schema } from "./schema.ts";
import { search } from "./search.ts";
import { serve } from "./serve.ts";
import { tokenOwner } from "./token-owner.ts";

/** Every command, in the order in which `--help` lists them: first the owner's, then those that read under a token. */
export const commands: readonly Command[] = [
  demo,
  serve,
  importRecords,
  connections,
  grantCreate,
  grantList,
  grantShow,
  grantRevoke,
  audit,
  tokenOwner,
  backup,
  doctor,
  schema,
  search,
  read,
  fetch,
  query,
  aggregate,
  blob,
  exportRecords,
  mcp,
];
