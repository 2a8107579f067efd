/** The errors of cards. */
import * as details from "./error-details.ts";

export const cardErrors = {
  card_not_found: {
    status: 404,
    details: details.cardProblem,
    message: "No card of the business has this code.",
    messages: {
      check_digit:
        "The code has a wrong check digit, so a digit is wrong or missing. Check it, or scan the card.",
      unknown:
        "No card of the business has this code. Check it, or find the member by phone number or e-mail address.",
    },
    cause:
      "No card of the business has this card_code. details.reason is check_digit if it can't be one of the service's codes: a digit " +
      "is wrong.",
    remedy: "Check the code. Blanks and hyphens make no difference. After 20 wrong codes in a minute, wait.",
  },
  card_blocked: {
    status: 409,
    details: details.blockedCard,
    message: "The card is blocked, because it was lost or replaced. Ask for another one.",
    cause: "The card was blocked or replaced. What its member has is not lost.",
    remedy:
      "Use the card that replaced it, find the member by phone number or e-mail address, or replace the card.",
  },
  card_already_exists: {
    status: 409,
    message: "Another card of the business has this number.",
    cause:
      "The number in card_code is that of another card of the business, which can be blocked or replaced.",
    remedy: "Send another number. Without card_code, the service makes a code.",
  },
  card_already_claimed: {
    status: 409,
    message: "The card is a member's, so it can't be claimed.",
    cause:
      "The member of the card is a person: the card was claimed before, or was that of a person from the beginning.",
    remedy:
      "Nothing is left to do if the card is the member's own. Two members that are one person can be merged.",
  },
  gift_card_money_only: {
    status: 409,
    message: "A gift card has only the money with which it was sold.",
    cause:
      "The member is a gift card. It gets no points, stamps, vouchers or tier, and no more money than it was sold with.",
    remedy: "Issue another gift card, or let a member claim this one.",
  },
  gift_card_limit_exceeded: {
    status: 409,
    details: details.giftLimit,
    message: "A gift card can't have so much money.",
    cause: "The amount with its bonus is more than the business allows on a gift card (gift_maximum_amount).",
    remedy: "Issue several gift cards. details.maximum is the most money on one, in minor units.",
  },
  member_anonymous: {
    status: 409,
    message: "The member is an anonymous card, which no person has claimed.",
    cause:
      "The contact_id is that of an anonymous card. It has no fields of a person and no referrals, and no other member can be merged into it.",
    remedy: "Send a member that is a person. Or claim the card for a person first.",
  },
} as const;
