/** A small data export of LinkedIn: CSV files, some below notes. */

/** The files of an export by path. */
export function makeLinkedInExport(): Record<string, string> {
  return {
    "Connections.csv": [
      "Notes:",
      '"When exporting your connection data, you may notice that some of the email addresses are missing."',
      "",
      "First Name,Last Name,URL,Email Address,Company,Position,Connected On",
      'Ben,"Boe, Jr.",https://www.linkedin.com/in/ben,ben@example.org,"Ropes, Inc.",Rigger,05 Jan 2024',
      "海,渡辺,https://www.linkedin.com/in/umi,,船,船長,31 Dec 2023",
      ",,,,,,01 Feb 2020",
      "",
    ].join("\n"),
    "messages.csv": [
      "CONVERSATION ID,CONVERSATION TITLE,FROM,SENDER PROFILE URL,TO,RECIPIENT PROFILE URLS,DATE,SUBJECT,CONTENT,FOLDER,ATTACHMENTS",
      '2-a==,,Ann Lee,https://www.linkedin.com/in/ann,Ben Boe,https://www.linkedin.com/in/ben,2024-01-05 10:20:31 UTC,,"two\nlines, ""quoted""",INBOX,https://media.example/plan.pdf?x=1',
      "2-a==,,Ben Boe,https://www.linkedin.com/in/ben,Ann Lee,https://www.linkedin.com/in/ann,2024-01-05 10:20:30 UTC,Rope,<p>Hello <b>Ann</b></p>,INBOX,",
      "2-a==,,Ben Boe,https://www.linkedin.com/in/ben,Ann Lee,https://www.linkedin.com/in/ann,2024-01-05 10:20:30 UTC,Rope,<p>Hello <b>Ann</b></p>,INBOX,",
      '2-b==,Crew,Cid,,"Ann Lee,Ben Boe",,2023-01-01 00:00:00 UTC,,hi 👋,INBOX,',
      "",
    ].join("\n"),
    "Profile.csv":
      "First Name,Last Name,Maiden Name,Address,Birth Date,Headline,Summary,Industry,Zip Code,Geo Location,Twitter Handles,Websites,Instant Messengers\nAnn,Lee,,,,Rigger,I tie knots.,Maritime,,Hamburg,,,\n",
    "Positions.csv":
      "Company Name,Title,Description,Location,Started On,Finished On\nRopes Inc.,Rigger,Knots,Hamburg,Jan 2020,\n",
    "Education.csv":
      "School Name,Start Date,End Date,Notes,Degree Name,Activities\nNautical School,2015,2018,,BSc,Sailing\n",
    "Skills.csv": "Name\nKnots\nSplicing\n",
    "Recommendations_Received.csv":
      'First Name,Last Name,Company,Job Title,Text,Creation Date,Status\nBen,Boe,Ropes Inc.,Boss,Ties well.,"05/06/20, 10:00 AM",VISIBLE\n',
    "Invitations.csv":
      'From,To,Sent At,Message,Direction,inviterProfileUrl,inviteeProfileUrl\nAnn Lee,Cid,"1/5/24, 10:20 PM",Shall we?,OUTGOING,https://www.linkedin.com/in/ann,https://www.linkedin.com/in/cid\n',
    "Shares.csv":
      'Date,ShareLink,ShareCommentary,SharedUrl,MediaUrl,Visibility\n2024-02-01 08:00:00,https://www.linkedin.com/feed/update/1,"First""\n""second",https://ropes.example/,,MEMBER_NETWORK\n',
    "Comments.csv": "Date,Link,Message\n2024-02-02 08:00:00,https://www.linkedin.com/feed/update/1,Nice\n",
    "Email Addresses.csv":
      "Email Address,Confirmed,Primary,Updated On\nann@example.org,Yes,Yes,1/1/20\nann@example.com,Yes,No,1/1/21\n",
  };
}
