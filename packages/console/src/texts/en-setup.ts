/** The texts of the pages on which a business sets up its programme. */
export const setupTexts = {
  edit: "Edit",
  remove: "Delete",

  tiers: {
    title: "Tiers",
    explanation: "What members reach with their sales.",
    create: "Add a tier",
    removeHelp: (name: string) => `Delete the tier ${name}?`,
    empty: "There are no tiers yet. Members don't need one to collect points.",
  },

  programs: {
    title: "Programs",
    explanation:
      "How many points a sale earns. The rules name the program of all sales; a tier can have its own.",
    create: "Add a program",
    removeHelp: (name: string) =>
      `Delete the program ${name}? If it is the program of all sales, sales earn nothing from today on. Earned points stay.`,
    empty: "There are no programs yet. Without one, sales earn no points.",
  },

  vouchers: {
    title: "Vouchers",
    create: "Add a voucher",
    includeArchived: "Also archived vouchers",
    archive: "Archive",
    archiveHelp: (name: string) =>
      `Archive ${name}? It can't be issued any more. Members keep what they have.`,
    restore: "Use again",
    empty: "There are no vouchers yet.",
  },

  topups: {
    title: "Top-ups",
    explanation: "The bonus for topping up a wallet. One that ends becomes inactive.",
    create: "Add a top-up benefit",
    empty: "There is no bonus for top-ups yet.",
  },
} as const;
