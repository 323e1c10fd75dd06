/** A small archive of X (Twitter), as it is downloaded. */

const assign = (name: string, list: unknown) =>
  `window.YTD.${name}.part0 = ${JSON.stringify(list, undefined, 2)}`;

/** A post; members of `more` replace those of a plain one. */
function makePost(id_str: string, full_text: string, more: object = {}): object {
  return {
    tweet: {
      id_str,
      full_text,
      created_at: "Wed Oct 10 20:19:24 +0000 2018",
      favorite_count: "3",
      retweet_count: "0",
      lang: "en",
      entities: { urls: [], hashtags: [], user_mentions: [] },
      ...more,
    },
  };
}

const BEN = { screen_name: "ben", id_str: "2", name: "Ben" };

/** The files of an archive by path. */
export function makeTwitterArchive(): Record<string, string> {
  return {
    "Your archive.html": "<!doctype html><html></html>",
    "data/manifest.js": "window.__THAR_CONFIG = {}",
    "data/account.js": assign("account", [
      { account: { username: "ann", accountId: "1", accountDisplayName: "Ann", email: "ann@example.org" } },
    ]),
    "data/follower.js": assign("follower", [{ follower: { accountId: "2" } }]),
    "data/tweets.js": assign("tweets", [
      makePost("1050118621198921728", "Rope &amp; &lt;tar&gt; 🪢 https://t.co/a https://t.co/b", {
        entities: {
          urls: [{ url: "https://t.co/a", expanded_url: "https://ropes.example/tar" }],
          hashtags: [{ text: "rope" }],
          user_mentions: [BEN],
        },
        extended_entities: {
          media: [
            { url: "https://t.co/b", media_url_https: "https://pbs.example/media/a.png", type: "photo" },
            {
              url: "https://t.co/b",
              media_url_https: "https://pbs.example/media/v.jpg",
              video_info: {
                variants: [
                  { url: "https://video.example/small.mp4", bitrate: "1" },
                  { url: "https://video.example/v.mp4?tag=1", bitrate: "200" },
                ],
              },
            },
          ],
        },
      }),
      makePost("1050118621198921729", "and more", { in_reply_to_status_id_str: "1050118621198921728" }),
      makePost("1050118621198921730", "@ben yes", {
        in_reply_to_status_id_str: "900000000000000009",
        in_reply_to_screen_name: "ben",
      }),
      makePost("1050118621198921731", "RT @ben: tar", { entities: { user_mentions: [BEN] } }),
    ]),
    "data/tweets_media/1050118621198921728-a.png": "\u0089PNG",
    "data/note-tweet.js": assign("note_tweet", [
      {
        noteTweet: {
          noteTweetId: "7",
          createdAt: "2023-05-05T00:00:00.000Z",
          core: { text: "A long post, whole", urls: [], mentions: [], hashtags: [] },
        },
      },
    ]),
    "data/like.js": assign("like", [
      {
        like: {
          tweetId: "1050118621198921728",
          fullText: "Tar &amp; feathers",
          expandedUrl: "https://x.com/i/web/status/1050118621198921728",
        },
      },
    ]),
    "data/direct-messages.js": assign("direct_messages", [
      {
        dmConversation: {
          conversationId: "1-2",
          messages: [
            {
              messageCreate: {
                id: "12",
                senderId: "1",
                recipientId: "2",
                text: "see https://t.co/c",
                createdAt: "2020-01-01T10:00:01.000Z",
                urls: [{ url: "https://t.co/c", expanded: "https://ropes.example/" }],
                mediaUrls: [],
                reactions: [{ senderId: "2", reactionKey: "like" }],
              },
            },
            {
              messageCreate: {
                id: "11",
                senderId: "2",
                recipientId: "1",
                text: "rope?",
                createdAt: "2020-01-01T10:00:00.000Z",
              },
            },
          ],
        },
      },
    ]),
    "data/direct-messages-group.js": assign("direct_messages_group", [
      {
        dmConversation: {
          conversationId: "77",
          messages: [
            {
              conversationNameUpdate: {
                initiatingUserId: "2",
                name: "船",
                createdAt: "2020-01-02T00:00:01.000Z",
              },
            },
            {
              messageCreate: {
                id: "13",
                senderId: "3",
                text: "hi all",
                createdAt: "2020-01-02T00:00:00.000Z",
              },
            },
          ],
        },
      },
    ]),
  };
}
