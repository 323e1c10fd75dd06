/** Conversations with an assistant, with edited questions and regenerated answers. */
import type { RecordEnvelope } from "@rungs/contract";
import { createEnvelope, timeAt } from "./sample-record.ts";

interface Turn {
  readonly text: string;
  /** More than one where a question was edited or an answer was regenerated. */
  readonly answers?: readonly Turn[];
}

const CONVERSATIONS: readonly { readonly title: string; readonly first: Turn }[] = [
  {
    title: "How a derailleur hanger is replaced",
    first: {
      text: "My rear derailleur is bent. Can I straighten it?",
      answers: [
        {
          text: "Usually the hanger is bent, not the derailleur. A hanger costs little; straightening weakens it.",
          answers: [
            {
              text: "How do I find the right hanger?",
              answers: [
                {
                  text: "Compare the holes: count them, measure their distance, and look for a number on the inside.",
                },
              ],
            },
            {
              text: "How do I find the right hanger without a number on it?",
              answers: [
                { text: "Photograph it beside a ruler; shops keep a catalogue of outlines." },
                { text: "Take it off and lay it on the outlines of a hanger catalogue, in original size." },
              ],
            },
          ],
        },
      ],
    },
  },
  {
    title: "A plan for the talk about letters",
    first: {
      text: "Help me to structure a talk about who may read a letter.",
      answers: [
        { text: "Begin with a lost letter, ask three questions about it, and end with the letter found." },
        {
          text: "Three parts: who may read it, how much of it, and for how long. One story runs through all of them.",
        },
      ],
    },
  },
];

/** Lists every conversation and every message of its tree. */
export function listAssistant(): RecordEnvelope[] {
  return CONVERSATIONS.flatMap(({ title, first }, number) => {
    const conversation_id = `c${number + 1}`;
    const messages: RecordEnvelope[] = [];
    const add = ({ text, answers = [] }: Turn, parent_id: string | null, depth: number): void => {
      const id = `${conversation_id}-${messages.length + 1}`;
      const written_at = timeAt(number * 9_000 + messages.length * 3);
      const role = depth % 2 === 0 ? "user" : "assistant";
      messages.push(createEnvelope("messages", id, { conversation_id, parent_id, role, written_at, text }));
      for (const turn of answers) add(turn, id, depth + 1);
    };
    add(first, null, 0);
    const current_message_id = String(messages.at(-1)?.key);
    const started_at = timeAt(number * 9_000);
    return [
      createEnvelope("conversations", conversation_id, { title, started_at, current_message_id }),
      ...messages,
    ];
  });
}
