/** The columns that other systems have in their exports, and the fields that they become. */
import type { ImportName, System } from "../../domain/imports/jobs.ts";

interface Preset {
  /** Columns by which the header tells that a file is such an export. Without them, only the option `from` tells. */
  readonly signs?: readonly string[];
  /** The names of columns that are not found by their words: for each field, the first one that the file has. None: it is not imported. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** Values of empty cells, and of fields that the export does not have. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** Further words, by their field, by which a line is no sale. */
  readonly noSales?: Readonly<Record<string, readonly string[]>>;
  /** Whether a receipt has several lines, whose amounts are those of the lines. */
  readonly joins?: true;
  /** Columns of a list of the system that does not say who the customers are, and how to get a file that does. */
  readonly withoutContacts?: { readonly signs: readonly string[]; readonly remedy: string };
}

interface Exports extends Partial<Readonly<Record<ImportName, Preset>>> {
  /** As its owner writes it. */
  readonly title: string;
}

/** Of some customers in exports, only one name is known. */
const defaults = { first_name: "-", last_name: "-" };

function queryText(query: string) {
  return `The list does not say who the customers are. Import the file of this query instead, of Advanced Parameters > Database (${query}).`;
}

export const presets: Readonly<Record<System, Exports>> = {
  square: {
    title: "Square",
    members: {
      signs: ["Square Customer ID"],
      columns: {
        external_ref: ["Square Customer ID"],
        joined_at: ["Creation Date"],
        // It can lack the year.
        date_of_birth: [],
      },
      defaults,
    },
    // Both the transactions and the items. Tips and taxes are not in the net sales, which both have.
    sales: {
      signs: ["Transaction ID", "Event Type", "Net Sales"],
      columns: { amount: ["Net Sales"], sale_type: ["Event Type"] },
      joins: true,
    },
  },
  shopify: {
    title: "Shopify",
    members: {
      signs: ["First Name", "Last Name", "Accepts Email Marketing"],
      columns: { other_phone_number: ["Default Address Phone"] },
      defaults,
    },
    sales: {
      signs: ["Financial Status", "Lineitem quantity", "Subtotal"],
      columns: {
        // It need not be that of the customer.
        phone_number: [],
        sold_at: ["Created at"],
        amount: ["Subtotal"],
        refunded_amount: ["Refunded Amount"],
        reference_id: ["Name"],
        sale_status: ["Financial Status"],
        line_sku: ["Lineitem sku"],
        line_quantity: ["Lineitem quantity"],
        line_price: ["Lineitem price"],
      },
      joins: true,
    },
  },
  loyverse: {
    title: "Loyverse",
    members: {
      signs: ["Customer name", "First visit", "Total visits"],
      columns: { joined_at: ["First visit"] },
      defaults,
    },
    // Both the receipts and the receipts by item.
    sales: {
      signs: ["Receipt number", "Receipt type", "Net sales"],
      columns: {
        amount: ["Net sales"],
        sale_type: ["Receipt type"],
      },
      joins: true,
    },
  },
  woocommerce: {
    title: "WooCommerce",
    members: {
      columns: { first_name: ["Name"], name: [], phone_number: ["Billing Phone"], joined_at: ["Sign Up"] },
      defaults: { last_name: "-" },
    },
  },
  "lightspeed-x": {
    title: "Lightspeed X-Series",
    members: {
      signs: ["customer_code", "customer_group_name", "first_name"],
      columns: { phone_number: ["mobile"], other_phone_number: ["phone"] },
      defaults,
    },
    // The sales history: a row of each sale, of each of its articles, and of each of its payments.
    sales: {
      signs: ["Receipt Number", "Line Type", "Register"],
      columns: { amount: ["Total"], sale_type: ["Line Type"], line_sku: [], line_quantity: [] },
      noSales: { sale_type: ["sale line", "payment"] },
    },
  },
  "lightspeed-ecom": {
    title: "Lightspeed eCom",
    members: {
      signs: ["Internal ID", "Firstname", "LastnamePreposition"],
      columns: {
        external_ref: ["Internal ID"],
        phone_number: ["Mobile", "Phone"],
        joined_at: ["Registered"],
      },
    },
  },
  magento: {
    title: "Magento",
    members: {
      signs: ["ID", "Name", "Customer Since"],
      columns: { external_ref: ["ID"], joined_at: ["Customer Since"] },
      defaults: { last_name: "-" },
    },
    sales: {
      signs: ["Purchase Date", "Bill-to Name", "Status"],
      columns: {
        sold_at: ["Purchase Date"],
        // The subtotal is before discounts.
        amount: ["Grand Total (Base)"],
        refunded_amount: ["Total Refunded"],
        reference_id: ["ID"],
      },
      // An order of which all is refunded.
      noSales: { sale_status: ["closed"] },
    },
  },
  // The tables, of which people export queries. The lists of its back office lack phone numbers and addresses.
  prestashop: {
    title: "PrestaShop",
    members: {
      signs: ["id_customer", "firstname", "lastname"],
      columns: {
        external_ref: ["id_customer"],
        phone_number: ["phone_mobile"],
        other_phone_number: ["phone"],
        joined_at: ["date_add"],
      },
      withoutContacts: {
        signs: ["Social title", "First name", "Email address"],
        remedy: queryText(
          "SELECT c.id_customer, c.firstname, c.lastname, c.email, c.date_add, MAX(a.phone) AS phone, " +
            "MAX(a.phone_mobile) AS phone_mobile FROM ps_customer c " +
            "JOIN ps_address a ON a.id_customer = c.id_customer GROUP BY c.id_customer",
        ),
      },
    },
    sales: {
      signs: ["id_customer", "reference", "total_paid_tax_incl"],
      columns: {
        external_ref: ["id_customer"],
        sold_at: ["date_add"],
        amount: ["total_paid_tax_incl"],
        reference_id: ["reference"],
      },
      withoutContacts: {
        signs: ["Reference", "New client", "Customer", "Total"],
        remedy: queryText(
          "SELECT id_customer, reference, date_add, total_paid_tax_incl FROM ps_orders WHERE valid = 1",
        ),
      },
    },
  },
};

/** Names are compared by their letters and digits, without marks: "Fecha de alta" is "fecha alta", and "Nº" is "no". */
export const lettersAndDigits = (name: string) =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/(?<![\p{L}\p{N}])(?:de|del|du|d|di|of)(?![\p{L}\p{N}])|[^\p{L}\p{N}]/gu, "");

/** The system whose export of this kind has such a header. */
export function systemOf(kind: ImportName, header: readonly string[]): System | undefined {
  const names = new Set(header.map(lettersAndDigits));
  return (Object.keys(presets) as System[]).find((system) =>
    presets[system][kind]?.signs?.every((sign) => names.has(lettersAndDigits(sign))),
  );
}

/** How to get a file that says who the customers are, for a list that does not. */
export function remedyFor(kind: ImportName, header: readonly string[]): string | undefined {
  const names = new Set(header.map(lettersAndDigits));
  return Object.values(presets)
    .flatMap((system) => system[kind]?.withoutContacts ?? [])
    .find(({ signs }) => signs.every((sign) => names.has(lettersAndDigits(sign))))?.remedy;
}
