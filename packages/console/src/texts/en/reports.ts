/** The texts of the reports. */

type Unit = "day" | "week" | "month";

export const reportTexts = {
  title: "Reports",
  range: (from: string, through: string) => (from === through ? from : `${from} to ${through}`),
  everywhere: "All locations",
  preset: "Days of the report",
  presets: { month: "This month", lastMonth: "Last month", quarter: "90 days", year: "This year" },
  by: "Length of the periods",
  units: { day: "By day", week: "By week", month: "By month" },
  figures: "Figures",
  compared: (from: string, through: string, unit: Unit) =>
    `Compared with ${from === through ? from : `${from} to ${through}`}. Active and returning members are averages per ${unit}${unit === "day" ? "" : `, of whole ${unit}s only`}. Returning members had also been active before that ${unit}. The redemption rate is the points used for each 100 points given.`,
  before: "Before:",
  periods: (unit: Unit) => (unit === "day" ? "By day" : `By ${unit}: the first and the last are whole`),
  measure: "Show",
  measures: { sales_amount: "Sales", points_given: "Points given", points_used: "Points used" },
  chart: (measure: string, unit: Unit) => `${measure} by ${unit}`,
  bar: (unit: Unit, day: string, value: string) => `${unit === "week" ? "Week from " : ""}${day}: ${value}`,
  asTable: "As a table",
  breakdowns: {
    locations: () => "By location",
    tiers: (day: string) => `Members by tier at the end of ${day}`,
  },
  outstanding: (day: string) => `What members had at the end of ${day}`,
  expiring: {
    points: "Points by the month in which they expire",
    vouchers: "Vouchers by the month in which they expire",
  },
  giftCards: "Gift cards",
  gifts: {
    sold: "Sold",
    sold_amount: "Sold for",
    used_amount: "Used",
    ended_amount: "Expired, given to members or corrected",
    open: "With money at the end",
    open_amount: "Money on them at the end",
  },
  noEnd: "Does not expire",
  nothing: "Nothing.",
} as const;
