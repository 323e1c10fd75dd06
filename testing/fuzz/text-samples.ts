/** Small text files of import formats, for tests that break them. */

/** Three messages: one with its length, one with a quoted separator, one with parts. */
export const MBOX = [
  "From ada@example.com Mon Jun  1 10:00:00 2009",
  "From: Ada <ada@example.com>",
  "Date: Mon, 1 Jun 2009 10:00:00 +0200",
  "Content-Length: 12",
  "",
  "Tea is ready",
  "",
  "From bob@example.com Tue Jun  2 10:00:00 2009",
  "Subject: =?utf-8?Q?caf=C3=A9?=",
  "",
  ">From here on",
  "",
  "From - Wed Jun  3 10:00:00 2009",
  'Content-Type: multipart/mixed; boundary="b"',
  "",
  "--b",
  "Content-Type: text/html; charset=utf-8",
  "Content-Transfer-Encoding: base64",
  "",
  "PGI+aGVyb248L2I+",
  "--b",
  'Content-Disposition: attachment; filename="a.txt"',
  "",
  "attached",
  "--b--",
  "",
].join("\n");

export const WHATSAPP = [
  "13/05/2024, 09:00 - Messages are end-to-end encrypted",
  "13/05/2024, 09:00 - Bob: morning",
  "13/05/2024, 9:01 pm - Ada: bring the",
  "marlinspike",
  "[14/05/2024, 09:02:33] Bob: ‎<attached: 1.jpg>",
  "",
].join("\n");

export const CALENDAR = [
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  "BEGIN:VEVENT",
  "UID:1",
  "DTSTART;TZID=Europe/Berlin:20240513T090000",
  "RRULE:FREQ=WEEKLY;COUNT=3",
  "SUMMARY:Tea\\, with",
  "  milk",
  "BEGIN:VALARM",
  "TRIGGER:-PT15M",
  "END:VALARM",
  "END:VEVENT",
  "END:VCALENDAR",
  "",
].join("\r\n");

export const CONTACT = [
  "BEGIN:VCARD",
  "VERSION:3.0",
  "N:Lovelace;Ada;;;",
  "FN:Ada Lovelace",
  "item1.EMAIL;TYPE=home,pref:ada@example.com",
  "NOTE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:caf=C3=A9=",
  "=20au lait",
  'TEL;TYPE="cell,voice":+49 30 1',
  "BDAY:18151210",
  "END:VCARD",
  "",
].join("\r\n");

export const PAGE =
  '<!doctype html><html><head><title>Tea</title><style>p{}</style><script>x("</p>")</script></head><body>' +
  '<p style="display:none">hidden</p><h1>Tea &amp; more</h1><p>One<br>two <a href="https://a.example/?q=1">link</a>' +
  "<ul><li>a<li>b<ol><li>c</ul><table><tr><td>1<td>2</table><img alt=heron><!-- no --><pre>  x</pre></body></html>";
