/**
 * Subscriptions to the changes under a grant: a signed message to the client's address names the stream that changed,
 * never what changed.
 */
import { streamNameSchema } from "@rungs/evidence";
import { z } from "zod";
import { readErrorCodes } from "./error-sets.ts";
import { defineOperation } from "./operation.ts";

const PATH = "/v1/event-subscriptions";
const ONE_PATH = `${PATH}/{subscription_id}`;

const oneInput = z.object({ subscription_id: z.string().min(1).max(128) });

/** A subscription as its client and the owner see it. */
const subscriptionSchema = z.looseObject({
  subscription_id: z.string(),
  grant_id: z.string(),
  client_id: z.string(),
  callback_url: z.string(),
  status: z.enum(["pending_verification", "active", "disabled", "disabled_failure", "disabled_revoked"]),
  disabled_reason: z.string().nullable(),
  scope: z.looseObject({
    streams: z.array(z.looseObject({ name: z.string(), connection_id: z.string() })),
    filters: z.looseObject({ streams: z.array(z.string()) }).optional(),
  }),
  created_at: z.string(),
  updated_at: z.string(),
});

/** A subscription as its client and the owner see it. */
export type EventSubscription = z.infer<typeof subscriptionSchema>;

const secretText = z
  .string()
  .describe("The key that signs the messages (Standard Webhooks); it is shown only here.");

/** `list_event_subscriptions`: the subscriptions under the caller's grant; the owner's token lists all. */
export const listEventSubscriptionsOperation = defineOperation({
  name: "list_event_subscriptions",
  summary: "Lists the subscriptions under the grant; with the owner's token, all of them.",
  method: "GET",
  path: PATH,
  kind: "client",
  input: z.object({}),
  answer: "json",
  output: z.looseObject({ data: z.array(subscriptionSchema) }),
  errors: readErrorCodes,
});

/** The body of `create_event_subscription`. */
export const createSubscriptionBody = z.strictObject({
  callback_url: z
    .string()
    .max(2048)
    .describe("An https address that the owner approved, or an http address on this machine."),
  filters: z
    .strictObject({ streams: z.array(streamNameSchema).max(100).optional() })
    .describe("Only these streams of the grant.")
    .optional(),
});

/** `create_event_subscription`: asks for a message whenever granted data changes. */
export const createEventSubscriptionOperation = defineOperation({
  name: "create_event_subscription",
  summary:
    "Subscribes to a signed message whenever granted data changes. The address must first return a challenge.",
  method: "POST",
  path: PATH,
  kind: "client",
  input: z.object({}),
  body: createSubscriptionBody,
  answer: "json",
  status: 201,
  output: z.looseObject({
    subscription_id: z.string(),
    secret: secretText,
    status: z.literal("pending_verification"),
    callback_url: z.string(),
    created_at: z.string(),
  }),
  errors: [
    ...readErrorCodes,
    "client_token_required",
    "callback_not_approved",
    "unsupported_media_type",
    "request_too_large",
  ],
});

/** `get_event_subscription`: one subscription. */
export const getEventSubscriptionOperation = defineOperation({
  name: "get_event_subscription",
  summary: "Returns one subscription with its state.",
  method: "GET",
  path: ONE_PATH,
  kind: "client",
  input: oneInput,
  answer: "json",
  output: subscriptionSchema,
  errors: [...readErrorCodes, "not_found"],
});

/** The body of `update_event_subscription`. */
export const updateSubscriptionBody = z.strictObject({
  enabled: z.boolean().describe("false stops the messages; true starts them again.").optional(),
  rotate_secret: z.boolean().describe("true makes a new key; the former one is void at once.").optional(),
});

/** `update_event_subscription`: stops or starts the messages, or changes their key. */
export const updateEventSubscriptionOperation = defineOperation({
  name: "update_event_subscription",
  summary: "Stops or starts the messages of a subscription, or changes the key that signs them.",
  method: "PATCH",
  path: ONE_PATH,
  kind: "client",
  input: oneInput,
  body: updateSubscriptionBody,
  answer: "json",
  output: z.looseObject({ subscription: subscriptionSchema, secret: secretText.optional() }),
  errors: [...readErrorCodes, "not_found", "unsupported_media_type", "request_too_large"],
});

/** `delete_event_subscription`: ends a subscription. */
export const deleteEventSubscriptionOperation = defineOperation({
  name: "delete_event_subscription",
  summary: "Ends a subscription.",
  method: "DELETE",
  path: ONE_PATH,
  kind: "client",
  input: oneInput,
  answer: "empty",
  output: z.undefined(),
  errors: [...readErrorCodes, "not_found"],
});

/** `send_test_event`: sends a message without content, to test the receiver. */
export const sendTestEventOperation = defineOperation({
  name: "send_test_event",
  summary: "Sends a message without content, to try the receiver.",
  method: "POST",
  path: `${ONE_PATH}/test-event`,
  kind: "client",
  input: oneInput,
  answer: "json",
  status: 202,
  output: z.looseObject({ event_id: z.string() }),
  errors: [...readErrorCodes, "not_found", "subscription_inactive"],
});
