/** The texts of the pages about partners, and about the service. */
import { countedText } from "../decimals.ts";

export const partnerTexts = {
  integrations: {
    title: "Integrations",
    empty: "No program of a partner has access yet. Add an integration for each till, app or shop.",
    presets: {
      till: "Till: records sales, refunds and vouchers",
      booking: "Booking or shop: records sales and members",
      app: "App for members: shows what they have",
      reader: "Reports: only reads",
      other: "Another program",
    },
  },

  secret: {
    onlyOnce: "Store the secret now. It is shown only once; afterwards, you can only make a new one.",
    invitation_token: "Send this link to the person. It works once, and for 24 hours. It is shown only now.",
    page_path:
      "Give this address to the member, such as in a message. Anyone who has it sees the card of the member. It stays the same until you replace it.",
    request: (url: string, id: string, secret: string) =>
      `curl ${url}/sp/auth/token --json '{"client_id":"${id}","client_secret":"${secret}"}'`,
    copy: "Copy",
    copied: "Copied",
    stored: "I have stored it",
  },

  integration: {
    number: (id: number) => `Integration ${id}`,
    disabled: (id: number) => `Integration ${id} is disabled: its requests are rejected.`,
    more: "More",
    secrets: "Valid secrets",
    scopes: "What it may do",
    allLocations: "All, also future ones",
  },

  events: {
    title: "Events",
    explanation: "What happened in the last weeks, newest first. Partners get the same.",
    off: "Events are switched off.",
    switchOn: "Switch events on",
    switchOnHelp:
      "From now on, the service records an event for each change. Earlier changes are in no event.",
    empty: "There are no events.",
    data: "All data",
    sale: (saleId: number) => `Sale ${saleId}`,
  },

  requests: {
    title: "Requests",
    explanation:
      "What went wrong with requests of partners in the last 7 days. A code leads to its meaning and its remedy.",
    counts: "Counts by hour",
    empty: "No request was rejected.",
    noCounts: "There were no requests.",
    lateReplay:
      "It got the response of an earlier day, and nothing was recorded: its idempotency key and its content are those of a request more " +
      "than 12 hours before. If it was another sale, that sale is missing. Tell the partner to add the day and the till to its keys.",
    whole: "The whole request",
    reason: (token: string) => `The token: ${token}.`,
    unknownField:
      "A field that this operation does not have. Its name is not kept, because it can be personal data.",
    fieldOfOthers: (field: string) => `${field}: this operation has no such field`,
    /** What a manager can do. For other errors, the remedy tells partners what to do. */
    advice: {
      sp_scope_not_granted: (scope: string, meaning: string) =>
        `It needs the scope ${scope}: ${meaning} To allow this, edit the integration and choose the scope. Then the partner gets a new token.`,
      sp_token_scope_missing: (scope: string) =>
        `The integration has the scope ${scope}, but its token is older. The partner gets a new token.`,
      sp_location_not_allowed: () =>
        "To allow the location, edit the integration. Or the partner uses a location that it may use.",
      operation_not_found: () => "The partner checks the path of the request.",
      validation_failed: () => "The partner corrects this. The response says more about each field.",
      legacy_field_not_allowed: () =>
        "The partner removes the field, which is one of an older interface. The response says what replaces it.",
    },
    unknownPath: "unknown path",
  },
} as const;

export const serviceTexts = {
  accounts: {
    title: "Accounts",
    empty: "There are no accounts yet: only the operator key can sign in.",
    keys: "Keys of scripts",
    noKeys: "No script has a key.",
    sessions: "Who is signed in",
    noSessions: "Nobody is signed in.",
  },

  audit: {
    title: "Audit log",
    explanation: "Who changed what, and when.",
    empty: "There are no entries yet.",
    noneFound: "No entry matches.",
    actor: (name: string, kind: string) => (name.startsWith(kind) ? name : `${name} (${kind})`),
    becomes: " → ",
  },

  sandbox: {
    title: "Sandbox clock",
    explanation: "The time of a sandbox stands still until you advance it. It can't be turned back.",
    now: "The time in this sandbox",
    steps: { day: "1 day forward", month: "30 days forward", year: "365 days forward" },
    advance: "Advance",
    to: "To another day …",
    advancing: (entries: number) =>
      `The clock is advancing. So far: ${countedText(entries, "entry", "entries")}.`,
    happened: (entries: number, from: string, through: string) =>
      `From ${from} to ${through}: ${countedText(entries, "entry", "entries")}`,
    nothing: "Nothing was recorded.",
  },

  system: {
    title: "System",
    /** Whether a value is good or bad. */
    notes: {
      ledger_lead_seconds:
        "Should be 0. More means that the clock of the database was set back. New entries keep the last time until it has caught up.",
      last_mismatch_at: "Should be never. Otherwise, check the ledgers below, and tell your administrator.",
      shared_buffers_bytes: "The database is fastest while what it needs fits in here.",
      rejected: "Requests that were wrong. The page Requests of each business says why.",
      failed: "Should be 0. The log of the service says why.",
      mean_milliseconds: "Lower is better.",
      waiting: "Should be near 0. If it stays high, the database is too slow.",
      mean_batch_size: "Neither good nor bad: more while the service is busy.",
      mean_batch_milliseconds: "Lower is better. The disk of the database decides it.",
      failing: "Should be 0. The service tries these again by itself.",
      disabled: "Should be 0. The page Webhooks of each business says why.",
      backlog_seconds: "Should be some seconds.",
    },
    verify: "Check of the ledgers",
    verifyHelp:
      "Adds up all entries again, and compares every balance of all businesses with the sum. Everybody can go on working.",
    verifyStart: "Check now",
    right: "The ledgers are right.",
    wrong: (mismatches: number) =>
      `The ledgers are wrong: ${countedText(mismatches, "mismatch", "mismatches")}. Run loyalty verify to see them.`,
  },
} as const;
