/** A chat of a few friends, in several languages. */
import type { RecordEnvelope } from "@rungs/contract";
import { createEnvelope, createRandom, timeAt } from "./sample-record.ts";

const ROOMS = ["Kyoto trip", "Sunday kitchen", "عائلة"] as const;
const SAID: Readonly<Record<(typeof ROOMS)[number], readonly (readonly [author: string, text: string])[]>> = {
  "Kyoto trip": [
    ["Kenji", "清水寺の近くの茶屋は十時に開きます。庭の見える部屋を予約しました。"],
    ["Ana", "The tea house near 清水寺? The one where the owner roasts hōjicha himself?"],
    ["Kenji", "そうです。ほうじ茶を自分で焙じています。電車は京都駅から三十分です。"],
    ["Lars", "I booked the ryokan from 3 to 7 April, breakfast included 🍵"],
    ["Ana", "Do not forget the rail pass, it must be bought before the flight."],
  ],
  "Sunday kitchen": [
    ["Maya", "Sourdough, third try: 24 °C, a fold every half hour, and the café's flour."],
    ["Lars", "The crust was great, the crumb a bit tight. Longer rest?"],
    ["Maya", "Crème brûlée next week. Who brings the torch?"],
    ["Ana", "I do. And the lemons, the tree is full."],
  ],
  عائلة: [
    ["نور", "موعد الطبيب يوم الثلاثاء الساعة العاشرة صباحا، لا تنسوا التقارير."],
    ["سامي", "سأحضر القهوة والتمر معي، وأمي ستخبز الخبز."],
    ["نور", "الصور من رحلة البحر جميلة جدا، سأرسلها الليلة."],
    ["Ana", "Shukran! I will bring the documents for the notary."],
  ],
};

/** Lists the messages of every room; each replies to the one before. */
export function listChat(): RecordEnvelope[] {
  const random = createRandom(23);
  return ROOMS.flatMap((room, number) =>
    Array.from({ length: 40 }, (_, at) => {
      const [author, text] = SAID[room][at % SAID[room].length]!;
      const id = (place: number) => `r${number + 1}-${String(place).padStart(3, "0")}`;
      const sent_at = timeAt(at * 95 + number * 17 + random.number(9));
      return createEnvelope("messages", id(at), {
        room_id: `r${number + 1}`,
        room,
        author,
        sent_at,
        text:
          at < SAID[room].length ? text : `${text} (${random.pick(["again", "still", "as said"])}, ${at})`,
        ...(at === 0 ? {} : { reply_to: id(at - 1) }),
      });
    }),
  );
}
