/** Every text of the console, in English. Descriptions of fields and operations come from the declarations. */
export const texts = {
  product: "Loyalty console",
  loading: "Loading",
  close: "Close",
  none: "none",
  yes: "Yes",
  no: "No",
  points: "points",

  roles: { viewer: "Viewer", support: "Support", manager: "Manager", owner: "Owner" },

  shell: {
    skip: "Skip to the content",
    menu: "Menu",
    business: "Business",
    chooseBusiness: "Choose a business",
    sandbox: "Sandbox.",
    zone: (zone: string) => `Times in ${zone}`,
    light: "Use light colours",
    dark: "Use dark colours",
    root: "Operator key",
    rootRole: "All rights",
    signOut: "Sign out",
  },

  menu: {
    groups: { daily: "Daily work", setup: "Programme", technical: "Partners", service: "Service" },
    pages: { members: "Members" },
  },

  missing: {
    title: "Nothing is here",
    explanation: "The address leads to no page, or your role may not open it.",
    start: "Go to the first page",
  },

  signIn: {
    title: "Sign in to the loyalty console",
    name: "Name",
    password: "Password",
    showPassword: "Show the password",
    submit: "Sign in",
    noAccount: "No account yet? Ask an owner for an invitation.",
  },

  passwordDialog: {
    submit: "Continue",
    expired: {
      title: "Sign in again",
      explanation: "Your session has ended. After you have signed in, you continue where you were.",
      cancel: "Sign out",
    },
    confirm: {
      title: "Confirm your password",
      explanation: "This needs your password again, because it can do much damage in wrong hands.",
      cancel: "Cancel",
    },
  },

  accept: {
    title: "Choose your password",
    explanation: "With it, you sign in to the loyalty console from now on.",
    password: "Password",
    passwordRules: "8 to 128 characters. Not one of the most used passwords.",
    submit: "Save and sign in",
    noToken:
      "This invitation link is incomplete or was used before. Ask the person who sent it for a new one.",
  },

  failure: {
    tryAgain: "Try again",
    noResponse: "The service can't be reached. Check your connection.",
    unexpected: "Something went wrong on this page. Load it again.",
    request: (id: string) => `Request ${id}`,
  },

  /** The messages of errors that the service words for programs. */
  errors: {
    unauthorized: "The name or the password is wrong.",
    invalid_operator_credentials: "The name or the password is wrong.",
    insufficient_balance: "The balance is too low for this.",
    member_inactive: "This member is deactivated.",
    rate_limited: "Too many requests. Wait a moment, and try again.",
    service_unavailable: "The service is busy. Try again in a moment.",
    internal_error:
      "The service failed. Try again. If it happens again, tell your administrator the number of the request.",
    role_not_allowed: "Your role may not do this.",
    validation_failed: "Some fields are not valid.",
  },

  forms: {
    save: "Save",
    cancel: "Cancel",
    required: "This field is required.",
    wholeNumber: "Write a whole number, such as 120.",
    amount: (decimals: number) =>
      `Write an amount, such as ${decimals === 0 ? "12" : `12.${"50".padEnd(decimals, "0").slice(0, decimals)}`}.`,
    atLeast: (minimum: string) => `At least ${minimum}.`,
    atMost: (maximum: string) => `At most ${maximum}.`,
    taken: "Another member has this already.",
    noChoice: "None",
    choose: "Choose …",
    unknownOutcome: "It is not known whether the service has saved this. Try again: it can't be saved twice.",
  },

  tables: {
    empty: "There is nothing here yet.",
    position: (from: number, to: number, total: number) =>
      `${from.toLocaleString("en")}–${to.toLocaleString("en")} of ${total.toLocaleString("en")}`,
    page: (page: number | string) => `Page ${page}`,
    first: "First page",
    previous: "Previous page",
    next: "Next page",
    last: "Last page",
  },

  members: {
    title: "Members",
    search: "Search",
    searchHelp: "Name, phone number, e-mail address or card number",
    includeInactive: "Also deactivated members",
    empty: "There are no members yet.",
    noneFound: "No member matches. Check the spelling, or search by phone number.",
    create: "Add a member",
  },

  /** The labels of fields, if they are not the names of the fields in words. */
  labels: {
    contact_id: "Member",
    from_contact_id: "Member that ends",
    tier_id: "Tier",
    tier_name: "Tier",
    program_id: "Program",
    default_program_id: "Program of all sales",
    location_id: "Location",
    location_ids: "Locations",
    voucher_id: "Voucher",
    integration_id: "Integration",
    points_balance: "Points",
    wallet_balance: "Wallet",
    vouchers_balance: "Vouchers",
    sales_balance: "Sales",
    email: "E-mail address",
    external_ref: "Card or other number",
    reference_id: "Receipt or reference",
    created_at: "Time",
    adjustment_type: "Correction",
    rp_name: "Name of the points",
  },

  /** The words for choices, if they are not the choices in words. */
  choices: {
    credit: "Add",
    debit: "Take away",
  },
} as const;
