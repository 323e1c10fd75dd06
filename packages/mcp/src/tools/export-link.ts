import { operations } from "@rungs/contract";
import { z } from "zod";
import { createRenderOptions, repeatCall, writeAnswer } from "../answer.ts";
import { looseOutput, text } from "../schemas.ts";
import { defineTool } from "../tool.ts";

/** `export_link`: the last rung, for the person: every granted record, whole, as a download. */
export const exportLinkTool = defineTool({
  name: "export_link",
  title: "Link to a download",
  description:
    "Makes a link from which the person downloads all granted records, whole: once, within 15 minutes. It is for the person; read with the other tools.",
  input: z.strictObject({
    stream: text.describe("Only this stream."),
    connection_id: text.describe("Only this connection."),
  }),
  output: looseOutput,
  async answer(input, { client }) {
    const data = await client.call("export_link", input);
    return writeAnswer({
      text: operations.export_link.render(data, repeatCall("export_link", input), createRenderOptions()),
      structured: { data },
    });
  },
});
