/** The texts of the page that leads through the set-up. Only it loads them. */
import { countedText } from "../decimals.ts";

export const firstSteps = {
  title: "First steps",
  explanation:
    "From a new business to a sale that earned points. You can do the steps in any order, and later again.",
  done: "Done",
  missing: "To do",
  found: (names: readonly string[]) =>
    `So far: ${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}.`,
  steps: {
    business: {
      title: "The business",
      text: "Its name, currency, time zone and country.",
      links: { "~/businesses": "All businesses" },
    },
    locations: {
      title: "Where members buy",
      text: "A shop, a stand, a web shop. A sale names its location.",
      links: { "/locations": "All locations" },
    },
    earning: {
      title: "What sales earn",
      text: "How many points a member gets for which amount, and the smallest sale that earns. Articles that earn nothing, such as gift cards, and those with a rate of their own are set in the program.",
      links: { "/programs": "Programs", "/rules": "Rules for points" },
    },
    integration: {
      title: "What records the sales",
      text: "A till or another program records sales. It gets a secret and a first request, which you copy.",
      links: { "/integrations": "All integrations" },
    },
    sale: {
      title: "A first sale that earns",
      text: "Record a sale with the till. If it does not come, look at its last requests. Or import sales of the past from a file, so that they earn points.",
      links: { "/requests": "The last requests" },
    },
    worth: {
      title: "What points are worth",
      text: "Members can pay with points as soon as these are worth an amount. What neither points nor vouchers can pay, such as prescriptions, is set in the program.",
      links: { "/rules": "Rules for points", "/vouchers": "Vouchers" },
    },
    more: {
      title: "What else members get",
      text: "Promotions give more on some days, for some articles or some members. Stamp cards give a voucher, such as for the tenth coffee. Tiers are for members who buy much.",
      links: { "/promotions": "Promotions", "/stamp-cards": "Stamp cards", "/tiers": "Tiers" },
    },
    people: {
      title: "Colleagues",
      text: "Each person has an account. A link, which is valid for 24 hours, lets the person choose a password.",
      links: { "~/accounts": "All accounts" },
    },
  },
  invite: "Invite a colleague",
  setWorth: "Set what points are worth",
  setRate: "Set what sales earn",
  rateHelp: "You can change it later. The examples say what a sale gives.",
  program: "Points",
  example: (amount: string, points: number) =>
    `A sale of ${amount} gives ${countedText(points, "point", "points")}.`,
} as const;
