import { countedText, wholeText } from "../decimals.ts";
import { actionTexts } from "./actions.ts";
import { errorTexts } from "./errors.ts";
import { fieldTexts } from "./fields.ts";
import { reportTexts } from "./reports.ts";
import { saleTexts } from "./sales.ts";
import { sessionTexts } from "./session.ts";
import { setupPages, setupTexts } from "./setup.ts";
import { webhookTexts } from "./webhooks.ts";

/** Every text of the console, in English. Descriptions of fields and operations come from the declarations. */
export const texts = {
  product: "Loyalty console",
  loading: "Loading",
  close: "Close",
  print: "Print",
  none: "none",
  yes: "Yes",
  no: "No",
  points: "points",
  megabytes: (count: string) => `${count} MB`,
  all: "All",
  ofAllKinds: ": all",

  shell: {
    skip: "Skip to the content",
    menu: "Menu",
    business: "Business",
    otherCells: "Businesses of other cells",
    sandbox: "A sandbox: nothing here is real.",
    // The word comes first, because a narrow screen cuts the end off.
    sandboxOf: (name: string) => `Sandbox: ${name}`,
    zone: (zone: string) => `Times in ${zone}`,
    light: "Use light colours",
    dark: "Use dark colours",
    signOut: "Sign out",
  },

  menu: {
    groups: { daily: "Daily work", setup: "Setup", technical: "Partners", service: "Service" },
    pages: {
      today: "Today",
      members: "Members",
      cards: "Cards",
      sales: "Sales",
      transactions: "Transactions",
      reports: "Reports",
      ...setupPages,
      integrations: "Integrations",
      webhooks: "Webhooks",
      events: "Events",
      requests: "Requests",
      audit: "Audit log",
      businesses: "Businesses",
      accounts: "Accounts",
      system: "System",
      sandbox: "Sandbox clock",
    },
  },

  search: {
    title: "Search for anything",
    keys: "Ctrl K",
    help: "A name, phone number, card, receipt or page",
    nothing: "Nothing matches.",
    members: "Members",
    sales: "Sales",
    actions: "Add",
    pages: "Pages",
  },

  leave: {
    title: "Close it? What you have written is lost if it was not saved.",
    stay: "Go on writing",
    leave: "Close it",
  },

  missing: {
    title: "Nothing is here",
    explanation: "The address leads to no page, or your role may not open it.",
    start: "Go to the first page",
    elsewhere: "If the business is in another cell, open its console:",
  },

  ...sessionTexts,

  failure: {
    tryAgain: "Try again",
    noResponse: "The service can't be reached. Check your connection.",
    unexpected: "Something went wrong on this page. Load it again.",
    request: (id: string) => `Number of the request: ${id}`,
  },

  ...errorTexts,

  /** What was done, if the message of the operation is for programs. */
  done: {
    "/op/members/page-link": "The address of the page",
    "/op/operators/create": "The account is there.",
    "/op/operators/reset": "There is a new invitation.",
    "/op/members/adjust-points": "The points are corrected.",
    "/op/members/adjust-wallet": "The wallet is corrected.",
    "/op/members/settle": "The points are up to date.",
    "/op/reward-points/redeem": "The points are used.",
    "/op/reward-points/reverse": "The entry is undone.",
    "/op/wallet/reverse": "The entry is undone.",
    "/op/vouchers/redeem": "The voucher is used.",
    "/op/vouchers/create-codes": "The codes are made. Save them as a file.",
    "/op/session/change-password": "Password changed.",
  },

  forms: {
    parts: {
      "": "",
      gives: "What it gives",
      when: "When",
      what: "For what",
      who: "For whom, and where",
      limits: "At most",
      rules: "Price and validity",
      code: "A code that everybody may use",
    },
    save: "Save",
    cancel: "Cancel",
    required: "This field is required.",
    wholeNumber: "Write a whole number, such as 120.",
    day: (example: string) => `Write a date with all four digits of the year, such as ${example}.`,
    dayAlone: (example: string) => `Write the date without a time, such as ${example}.`,
    noDay: (example: string, withTime: boolean) =>
      `There is no such date${withTime ? " or time" : ""}. An example is ${example}.`,
    dayPattern: { day: "DD", month: "MM", year: "YYYY", time: "hh:mm" },
    calendar: "Choose in the calendar",
    time: (example: string) => `Write a time, such as ${example}.`,
    notClear: (one: string, other: string) => `This can be ${one} or ${other}: write it with all decimals.`,
    amount: (decimals: number) =>
      `Write an amount, such as ${decimals === 0 ? "12" : `12.${"50".padEnd(decimals, "0").slice(0, decimals)}`}.`,
    atLeast: (minimum: string) => `At least ${minimum}.`,
    atMost: (maximum: string) => `At most ${maximum}.`,
    taken: "Another member has this already.",
    noChoice: "None",
    noneYet: (page: string) => `There are none yet. Add one on the page ${page}.`,
    noMatch: "Nothing matches.",
    filters: (set: number) => (set === 0 ? "Filters" : `Filters (${set})`),
    withoutFilter: "Remove this filter",
    choose: "Choose …",
    chooseFile: "Choose a file",
    noPicture: "This picture can't be read here. Choose a PNG or JPEG file.",
    record: (number: number) => `Rate ${number}`,
    addRecord: "Add a rate",
    removeRecord: (number: number) => `Remove rate ${number}`,
    titleOf: (label: string, name: string) => (name === "" ? label : `${label}: ${name}`),
    oneOf: (labels: readonly string[]) => `Fill in one of these: ${labels.join(" or ")}.`,
    unknownOutcome: "It is not known whether the service has saved this. Try again: it can't be saved twice.",
  },

  tables: {
    empty: "There is nothing here yet.",
    actions: "Actions",
    noneHere: "Nothing matches in this part of the list.",
    newest: "Newest",
    older: "Older",
    position: ({ from, to, total }: Readonly<Record<"from" | "to" | "total", number>>) =>
      `${wholeText(from)}–${wholeText(to)} of ${wholeText(total)}`,
    page: (page: number | string) => `Page ${page}`,
    first: "First page",
    previous: "Previous page",
    next: "Next page",
    last: "Last page",
    csv: "Save as CSV",
    columns: "Columns",
    saved: (rows: number) => `Lines in the file: ${wholeText(rows)}`,
  },

  members: {
    title: "Members",
    searchHelp: "Name, phone number, e-mail address or customer number",
    empty: "There are no members yet.",
    noneFound: "No member matches.",
    similar: "Similar names",
  },

  member: {
    erased: "Erased member",
    number: (contactId: number | string) => `Member ${contactId}`,
    inactive: "This member is deactivated.",
    mergedInto: "It was merged into",
    noTier: "None",
    worth: (amount: string) => `Worth ${amount}`,
    expires: (points: number, day: string) => `${countedText(points, "expires", "expire")} after ${day}`,
    pending: (points: number, day: string) => `${wholeText(points)} more can be used from ${day}`,
    owed: (points: number) => `Owes ${wholeText(points)}`,
    tierUntil: (day: string) => `Until ${day}`,
    tierByHand: "Assigned by hand",
    keepTier: (amount: string, from: string, until: string) =>
      `To keep it: sales of ${amount} more, from ${from} to ${until}.`,
    keepsTier: "It will be renewed, unless sales are refunded.",
    nextTier: (amount: string, tier: string) => `${amount} more for ${tier}`,
    nextTierSoon: (tier: string) => `Reaches ${tier} with the next sale`,
    reachBy: (day: string) => `until ${day}`,
    progress: (tier: string) => `Progress towards ${tier}`,
    tabs: {
      points: "Why these points?",
      vouchers: "Vouchers",
      stamps: "Stamp cards",
      cards: "Cards",
      sales: "Sales",
      timeline: "Timeline",
      profile: "Profile",
    },
  },

  correction: {
    title: "Correct a balance",
    account: "Balance",
    accounts: { points: "Points", wallet: "Wallet" },
    balanceNow: (balance: string) => `The balance is ${balance}.`,
    order:
      "Points that you add don't expire. Points are taken away in this order: those that are not from a recorded sale, then those that expire first.",
    submit: "Correct the balance",
  },

  pointsHistory: {
    lots: "Points and when they expire",
    byHand: "Not from a recorded sale",
    origins: { sale: "Sale", occasion: "Occasion or bulk grant", by_hand: "Import" },
    noLots: "This member has no points now.",
    statement: "How the balance came about",
    noEntries: "This member has never had points.",
    missing: "Are points of a purchase missing? The page of the sale says why.",
    receipt: "Find the receipt",
  },

  memberVouchers: {
    ofSale: (saleId: number) => `Refund sale ${saleId} to give it back`,
    empty: "This member has never had a voucher.",
  },

  memberSales: { empty: "There are no sales of this member." },

  timeline: {
    empty: "Nothing has happened yet.",
    audit: "Who changed what",
    obstacles: {
      insufficient_balance: "The money or its bonus was spent, so it can't be undone.",
      voucher_not_usable: "Its voucher was used or has expired, so it can't be undone.",
    },
  },

  memberActions: {
    more: "More",
    export: "Save the data as a file",
  },

  merge: {
    submit: "Merge",
    with: "Merge with",
    tier: (name: string, changed: boolean) => `Tier afterwards: ${name}${changed ? ", which is new" : ""}.`,
  },

  today: {
    title: "Today",
    sales: "Sales",
    refunded: (amount: string) => `${amount} refunded`,
    saleCount: (count: number) => countedText(count, "sale", "sales"),
    pointsGiven: "Points given",
    pointsUsed: "Points used",
    activeMembers: "Active members",
    newMembers: (count: number) => `${wholeText(count)} new`,
    outstanding: "What members have",
    points: "Points",
    worth: (amount: string) => `Worth ${amount}`,
    pending: (points: number) => `${wholeText(points)} more pending`,
    expiring: "Expires next",
    nothing: "Nothing",
    atEndOf: (month: string) => `Points that expire in ${month}`,
    wallet: "Wallets",
    vouchers: "Vouchers",
    voucherCount: (count: number) => countedText(count, "voucher", "vouchers"),
    weeks: "The last twelve weeks",
    service: "The service",
  },

  actions: actionTexts,
  reports: reportTexts,

  sales: {
    title: "Sales",
    noneFound:
      "No sale matches. Check the receipt and the filters. If the till did send the sale, look for it under Requests: it may have been rejected. Older sales may be only under Transactions.",
    empty: "There are no sales yet.",
  },

  transactions: {
    title: "Transactions",
    explanation: "Every change of points, wallets, vouchers and sales.",
    empty: "There are no entries yet.",
    noneFound: "No entry matches.",
  },

  ...saleTexts,
  ...setupTexts,
  ...webhookTexts,
  ...fieldTexts,
} as const;
