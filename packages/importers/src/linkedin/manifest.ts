import { declareChats, otherTime, secondary } from "../chat/chat-streams.ts";
import { declare, shapes } from "../declare.ts";

/** What a data export of LinkedIn says. */
export const linkedinManifest = declare({
  connector: "linkedin",
  name: "LinkedIn",
  version: "1",
  streams: [
    ...declareChats({
      messages: { subject: shapes.text, folder: shapes.text },
      attachments: { url: shapes.text },
    }),
    {
      name: "connections",
      label: "Connections and invitations",
      time_field: "connected_at",
      searched: ["name", "company", "position", "email", "text"],
      filtered: ["company"],
      properties: {
        id: shapes.text,
        name: shapes.title,
        company: secondary,
        position: shapes.text,
        email: shapes.text,
        url: shapes.text,
        text: { ...shapes.body, description: "The message of an invitation." },
        kind: { type: "string", description: "connection, invitation_sent or invitation_received." },
        connected_at: { ...shapes.time, description: "When they connected, or the invitation was sent." },
      },
    },
    {
      name: "posts",
      label: "Posts and comments",
      time_field: "posted_at",
      searched: ["text", "link"],
      properties: {
        id: shapes.text,
        text: shapes.body,
        author: shapes.actor,
        posted_at: shapes.time,
        kind: { ...secondary, description: "post or comment." },
        url: { ...shapes.thread, description: "The address of the post; comments on one post share it." },
        link: { type: "string", description: "The page or file that was shared." },
        visibility: shapes.text,
      },
    },
    {
      name: "profile",
      label: "Profile, positions, education, skills, recommendations",
      time_field: "started_at",
      searched: ["title", "organization", "text"],
      filtered: ["kind"],
      properties: {
        id: shapes.text,
        title: shapes.title,
        kind: {
          ...secondary,
          description: "profile, position, education, skill, certification or recommendation.",
        },
        organization: shapes.text,
        person: { ...shapes.actor, description: "Who recommends." },
        text: shapes.body,
        place: shapes.text,
        url: shapes.text,
        started_at: shapes.time,
        finished_at: otherTime,
      },
    },
  ],
});
