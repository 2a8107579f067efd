/** The texts about cards. Only their pages load them. */
export const cardTexts = {
  title: "Cards",
  explanation: "Codes by which a till finds members, anonymous cards, and gift cards.",
  create: "Issue cards",
  empty: "There are no cards yet. Issue a gift card, or add a card on the page of a member.",
  noneFound: "No card has this code or state.",
  ofMember: "The member has no card.",
  add: "Add a card",
  claim: "Give to a member",
  replace: "Replace",
  block: "Block",
} as const;
