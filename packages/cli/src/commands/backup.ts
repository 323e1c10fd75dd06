import { backUp, copyFile } from "../backup.ts";
import type { Command } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { copyStore } from "../home/copy-store.ts";
import { placeOf } from "../home/database.ts";

/** `rungs backup`: a file with everything at one moment, checked; from either engine. */
export const backup: Command = {
  async run(call) {
    const [file = ""] = call.operands;
    const place = placeOf(call);
    const made = await backUp(file, async (part) => {
      if (place.kind === "sqlite") await copyFile(place.file, part);
      else await copyStore(place, { kind: "sqlite", file: part }, call);
    });
    const text = `${file}: ${made.size_bytes} bytes, opened and checked. Use it with --database ${file}.`;
    call.io.out(call.flag("json") ? JSON.stringify(made) : text);
    return Exit.done;
  },
};
