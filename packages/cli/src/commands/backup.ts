import { backUp } from "../backup.ts";
import type { Command } from "../command.ts";
import { placeOf } from "../database.ts";
import { Exit, UsageError } from "../exit.ts";

/** `rungs backup`: a copy of everything at one moment, checked. */
export const backup: Command = {
  async run(call) {
    const [file = ""] = call.operands;
    const place = placeOf(call);
    if (place.kind === "postgres") {
      throw new UsageError(
        "rungs backup copies SQLite alone: back PostgreSQL up with pg_dump --format=custom.",
      );
    }
    const made = await backUp(place.file, file);
    const text = `${file}: ${made.size_bytes} bytes, opened and checked. Use it with --database ${file}.`;
    call.io.out(call.flag("json") ? JSON.stringify(made) : text);
    return Exit.done;
  },
};
