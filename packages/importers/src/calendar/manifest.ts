import { declare, type StreamOutline, shapes } from "../declare.ts";

const person = { type: "object", properties: { name: shapes.text, email: shapes.text } } as const;

const end = { ...shapes.text, x_pdpp_role: "end-time" };
const place = { ...shapes.text, x_pdpp_role: "place" };

const common = {
  id: shapes.text,
  uid: shapes.text,
  recurrence_id: { type: "string", description: "Which occurrence of a series this changed event replaces." },
  summary: shapes.title,
  description: shapes.body,
  start: {
    type: "string",
    description: "RFC 3339 if the zone is known, a date for whole days, else a local time without an offset.",
    x_pdpp_role: "event-time",
  },
  start_local: { type: "string", description: "The start as the file has it." },
  timezone: { type: "string", description: "The zone that the file names for the start." },
  all_day: shapes.flag,
  rrule: { type: "string", description: "The recurrence rule (RFC 5545 §3.3.10), not expanded." },
  rdates: shapes.texts,
  exdates: shapes.texts,
  organizer: { ...person, x_pdpp_role: "actor" },
  attendees: {
    x_pdpp_role: "recipient",
    type: "array",
    items: { type: "object", properties: { ...person.properties, status: shapes.text, role: shapes.text } },
  },
  status: shapes.text,
  categories: shapes.texts,
  url: shapes.text,
  calendar: { ...shapes.text, x_pdpp_role: "secondary" },
  created_at: { type: "string", format: "date-time" },
  modified_at: { type: "string", format: "date-time" },
} as const;

const searched = ["summary", "description", "attendees", "organizer", "categories", "calendar"];

const filtered = ["attendees", "organizer", "categories"];

const outlines: readonly StreamOutline[] = [
  {
    name: "events",
    label: "Events",
    time_field: "start",
    searched: [...searched, "location"],
    filtered,
    properties: { ...common, end, location: place },
    views: [
      {
        id: "times",
        label: "When and where, without people and notes",
        fields: ["id", "summary", "start", "end", "all_day", "timezone", "rrule", "location", "status"],
      },
    ],
  },
  {
    name: "todos",
    label: "Tasks",
    time_field: "due",
    searched: [...searched, "location"],
    filtered,
    properties: {
      ...common,
      start: shapes.text,
      due: { ...shapes.text, x_pdpp_role: "event-time" },
      completed_at: shapes.text,
      percent_complete: shapes.integer,
      location: place,
    },
  },
  { name: "journals", label: "Journal", time_field: "start", searched, filtered, properties: common },
];

/** Calendars: events, tasks and journal entries. */
export const calendarManifest = declare({
  connector: "calendar",
  name: "Calendar",
  version: "4",
  streams: outlines,
});
