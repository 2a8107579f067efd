/** The texts of the pages about partners, and about the service. */
export const partnerTexts = {
  integrations: {
    title: "Integrations",
    empty: "No program of a partner has access yet. Create an integration for each till, app or shop.",
  },

  secret: {
    title: "Credentials of the integration",
    onlyOnce: "Store the secret now. It is shown only once; afterwards, you can only make a new one.",
    copy: "Copy",
    copied: "Copied",
    stored: "I have stored it",
  },

  integration: {
    disabled: "Disabled: its requests are rejected.",
    edit: "Edit",
    rotate: "New secret",
    more: "More",
    enable: "Enable",
    disable: "Disable",
    revoke: "Revoke all tokens",
    remove: "Delete",
    secrets: "Valid secrets",
  },

  requests: {
    title: "Requests",
    explanation:
      "What went wrong with requests of partners in the last 7 days. A code leads to its meaning and its remedy.",
    show: "Show",
    rejected: "Rejected and failed",
    counts: "Counts by hour",
    empty: "No request was rejected.",
    noCounts: "There were no requests.",
    whole: "the whole request",
    unknownPath: "unknown path",
  },
} as const;

export const serviceTexts = {
  accounts: {
    title: "Accounts",
    empty: "There are no accounts yet: only the operator key can sign in.",
    invitation: "Invitation",
    create: "Add a person",
    createKey: "Add a key",
    newKey: "Key of the operator API",
    reset: "New invitation",
    enable: "Enable",
    disable: "Disable",
    keys: "Keys of scripts",
    noKeys: "No script has a key.",
    revoke: "Revoke",
    sessions: "Who is signed in",
    noSessions: "Nobody is signed in.",
    endSession: "Sign out",
  },

  audit: {
    title: "Audit log",
    explanation: "Who changed what, and when. Times are in UTC.",
    empty: "There are no entries yet.",
    noneFound: "No entry matches.",
    change: (from: string, to: string) => `${from} → ${to}`,
  },

  sandbox: {
    title: "Sandbox clock",
    explanation: "The time of a sandbox stands still until you advance it. It can't be turned back.",
    notASandbox: "This business lives in real time. Choose a sandbox above to advance its clock.",
    now: "The time in this sandbox",
    steps: { day: "A day on", month: "A month on", year: "A year on" },
    to: "To a day …",
    progress: "How far the clock is",
    entries: (entries: string) => `Entries that were recorded on the way: ${entries}`,
  },

  system: {
    title: "System",
    verify: "Check of the ledgers",
    verifyHelp: "Recomputes every balance of all businesses from the ledger. The service goes on meanwhile.",
    verifyStart: "Check now",
    right: "The ledgers are right.",
    wrong: (mismatches: number) =>
      `The ledgers are wrong: ${mismatches} mismatches. Run loyalty verify to see them.`,
  },
} as const;
