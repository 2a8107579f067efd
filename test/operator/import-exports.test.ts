/** Exports of the systems that shops have, as these write them, are imported without options. */
import { expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importJobs } from "../support/import-jobs.ts";
import { importTools } from "../support/imports.ts";
import { operatorWrite } from "../support/operator-requests.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { memberOf, transactionsOf, expectValidLedger } = importTools(world);
const { upload, preview, start } = importJobs(world);

interface Imported {
  readonly form: Body;
  readonly result: Body;
}

/** Checks a file with nothing but its kind, and imports it. */
async function imported(business_id: number, kind: string, text: string): Promise<Imported> {
  const id = await upload(business_id, text, `${kind}.csv`);
  const checked = await preview(id, { kind, amount_unit: undefined });
  expect(checked).toMatchObject({ state: "checked", problem: null });
  const done = await start(id);
  const counts = ["lines", "imported", "rejected", "left_out", "joined"].map((name) => [
    (checked.result as Body)[name],
    (done.result as Body)[name],
  ]);
  for (const [before, after] of counts) expect(after).toBe(before);
  return { form: checked.form as Body, result: done.result as Body };
}

async function shop(timeZone: string, currency = "EUR") {
  const business = await world.business("Importing", timeZone);
  const at = { business_id: business.businessId };
  await world.sql`UPDATE business SET currency = ${currency} WHERE business_id = ${business.businessId}`;
  await operatorWrite(world, "/op/locations/create", { ...at, name: "Main St" });
  return { business, id: business.businessId };
}

/** What a member bought, oldest first. */
async function salesOf(business: Parameters<typeof transactionsOf>[0], search: string) {
  const { contact_id } = await memberOf(business, search);
  const entries = await transactionsOf(business, contact_id);
  return entries.map(({ amount, created_at, reference_id }) => [created_at, amount, reference_id]).reverse();
}

it("customers, transactions and items of Square", async () => {
  const { business, id } = await shop("America/New_York", "USD");
  const customers = await imported(
    id,
    "members",
    "Reference ID,First Name,Last Name,Email Address,Phone Number,Nickname,Company Name,Street Address 1,Street Address 2,City,State," +
      "Postal Code,Birthday,Memo,Square Customer ID,Creation Source,First Visit,Last Visit,Transaction Count,Lifetime Spend,Email Subscription Status,Creation Date\n" +
      ",Dee,Example,dee@example.com,'+12025550143,,,,,,,,,,CUST1,Directory,2026-01-02,2026-01-09,2,$39.00,unsubscribed,2025-12-30\n" +
      ",Bo,,,'+12025550144,,,,,,,,,,CUST2,Directory,,,0,$0.00,unsubscribed,2025-12-31\n",
  );
  expect(customers).toMatchObject({ form: { from: "square" }, result: { imported: 2, rejected: 0 } });
  expect(await memberOf(business, "+12025550144")).toMatchObject({
    first_name: "Bo",
    last_name: "-",
    external_ref: "CUST2",
  });

  const transactions =
    "Date,Time,Time Zone,Gross Sales,Discounts,Service Charges,Net Sales,Gift Card Sales,Tax,Tip,Partial Refunds,Total Collected,Source,Card," +
    "Card Entry Methods,Cash,Square Gift Card,Other Tender,Other Tender Type,Other Tender Note,Fees,Net Total,Transaction ID,Payment ID,Card Brand," +
    "PAN Suffix,Device Name,Staff Name,Staff ID,Details,Description,Event Type,Location,Dining Option,Customer ID,Customer Name,Customer Reference ID\n" +
    "2026-01-20,09:00:00,Pacific Time (US & Canada),-$12.00,$0.00,$0.00,-$12.00,$0.00,-$0.96,$0.00,$0.00,-$12.96,Point of Sale,-$12.96,,$0.00,$0.00,$0.00,,,$0.00,-$12.96,SQA1x,PA1R,Visa,0000,iPad,,,,Mug,Refund,Main St,,CUST1,Dee Example,\n" +
    '2026-01-13,10:02:11,Pacific Time (US & Canada),"$1,030.00",-$3.00,$0.00,"$1,027.00",$0.00,$2.16,$2.00,$0.00,"$1,031.16",Point of Sale,"$1,031.16",Tap,$0.00,$0.00,$0.00,,,-$0.93,"$1,030.23",SQA1x,PA1,Visa,0000,iPad,,,,"Mug x 1, Print x 1",Payment,Main St,,CUST1,Dee Example,\n' +
    "2026-01-12,11:40:00,Pacific Time (US & Canada),$12.00,$0.00,$0.00,$12.00,$0.00,$0.96,$0.00,$0.00,$12.96,Point of Sale,$12.96,Tap,$0.00,$0.00,$0.00,,,-$0.46,$12.50,SQB2y,PB2,Visa,0000,iPad,,,,Print x 1,Payment,Main St,,,,\n";
  const sold = await imported(id, "sales", transactions);
  expect(sold).toMatchObject({
    form: { from: "square", amount_unit: "major" },
    result: { lines: 3, imported: 2, rejected: 0, left_out: 1 },
  });
  const sales = [
    ["2026-01-13 13:02:11", 102_700, "SQA1x"],
    ["2026-01-20 12:00:00", -1200, "SQA1x"],
  ];
  expect(await salesOf(business, "+12025550143")).toEqual(sales);

  // The items of a transaction come to the same sale.
  const items =
    "Date,Time,Time Zone,Category,Item,Qty,Price Point Name,SKU,Modifiers Applied,Gross Sales,Discounts,Net Sales,Tax,Transaction ID,Payment ID," +
    "Device Name,Notes,Details,Event Type,Location,Dining Option,Customer ID,Customer Name,Customer Reference ID,Unit,Count,Itemization Type,Commission,Employee\n" +
    '2026-01-13,10:02:11,Pacific Time (US & Canada),Ceramics,Mug,1,Regular,MUG-1,,"$1,018.00",-$3.00,"$1,015.00",$1.20,SQA1x,PA1,iPad,,,Payment,Main St,,CUST1,Dee Example,,ea,1,Physical Good,,\n' +
    "2026-01-13,10:02:11,Pacific Time (US & Canada),Prints,Print,1,Regular,FERN-1,,$12.00,$0.00,$12.00,$0.96,SQA1x,PA1,iPad,,,Payment,Main St,,CUST1,Dee Example,,ea,1,Physical Good,,\n" +
    "2026-01-14,10:02:11,Pacific Time (US & Canada),Prints,Print,1,Regular,FERN-1,,$12.00,$0.00,$12.00,$0.96,SQC3z,PC3,iPad,,,Payment,Main St,,CUST2,Bo,,ea,1,Physical Good,,\n";
  expect((await imported(id, "sales", items)).result).toMatchObject({
    ...{ lines: 3, joined: 1, imported: 1, skipped: 1, rejected: 0 },
  });
  expect(await salesOf(business, "+12025550143")).toEqual(sales);
  await expectValidLedger(business);
});

it("customers and orders of Shopify", async () => {
  const { business, id } = await shop("America/New_York", "USD");
  const customers = await imported(
    id,
    "members",
    "Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address Company,Default Address Address1,Default Address Address2," +
      "Default Address City,Default Address Province Code,Default Address Country Code,Default Address Zip,Default Address Phone,Phone," +
      "Accepts SMS Marketing,Total Spent,Total Orders,Note,Tax Exempt,Tags\n" +
      "'9013808660771,Jamel,Crooks,jamel@example.com,no,,1 High St,,Troy,NY,US,'12180,'+12025550101,,no,90.00,2,,no,\n" +
      "'9013808660772,Ana,Diaz,ANA@example.com,yes,,,,,,,,,'+12025550102,no,0.00,0,,no,vip\n",
  );
  expect(customers).toMatchObject({ form: { from: "shopify" }, result: { imported: 2, rejected: 0 } });
  const columns =
    "Name,Email,Financial Status,Paid at,Fulfillment Status,Fulfilled at,Accepts Marketing,Currency,Subtotal,Shipping,Taxes,Total,Discount Code," +
    "Discount Amount,Shipping Method,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem compare at price,Lineitem sku," +
    "Billing Name,Billing Phone,Shipping Name,Cancelled at,Payment Method,Payment Reference,Refunded Amount,Vendor,Outstanding Balance,Employee,Location,Id,Tags,Risk Level,Source,Phone\n";
  const order = (name: string, email: string, status: string, [subtotal, at, refunded = "0.00"]: string[]) =>
    `${name},${email},${status},${at},fulfilled,${at},no,USD,${subtotal},5.00,0.00,95.00,,0.00,Standard,${at},1,Mug,38.00,,MUG-1,A,,A,,Shopify Payments,c1,${refunded},Us,0.00,,,57001,,Low,web,'+12025559999\n`;
  const more = (name: string, email: string, at: string) =>
    `${name},${email},,,,,,,,,,,,,,${at},2,Print,12.00,,FERN-1,,,,,,,,Us,,,,,,,,\n`;
  const day = "2026-01-04 10:15:00 -0500";
  const next = "2026-01-05 08:00:00 -0500";
  const { form, result } = await imported(
    id,
    "sales",
    columns +
      order("#1006", "ana@example.com", "voided", ["10.00", next]) +
      order("#1005", "ana@example.com", "pending", ["10.00", next]) +
      order("#1004", "ana@example.com", "refunded", ["20.00", next, "25.00"]) +
      order("#1003", "ana@example.com", "partially_refunded", ["62.00", next, "12.00"]) +
      order("#1002", "", "paid", ["15.00", day]) +
      order("#1001", "jamel@example.com", "paid", ["62.00", day]) +
      more("#1001", "jamel@example.com", day),
  );
  expect(form).toMatchObject({ from: "shopify" });
  expect(result).toMatchObject({ lines: 7, joined: 1, imported: 2, rejected: 0, left_out: 4 });
  expect(await salesOf(business, "+12025550101")).toEqual([["2026-01-04 10:15:00", 6200, "#1001"]]);
  expect(await salesOf(business, "+12025550102")).toEqual([["2026-01-05 08:00:00", 5000, "#1003"]]);
});

it("customers, receipts and receipts by item of Loyverse", async () => {
  const { business, id } = await shop("Europe/Madrid");
  const customers = await imported(
    id,
    "members",
    "Customer ID,Customer name,Email,Phone,First visit,Last visit,Total visits,Total spent,Address\n" +
      "1,Ana María López,ana@example.com,+34600000001,13/04/2025 13:45,27/09/2025 19:20,3,65.50,Calle 1\n2,Madonna,,+34600000002,,,0,0.00,\n",
  );
  expect(customers).toMatchObject({ form: { from: "loyverse" }, result: { imported: 2, rejected: 0 } });
  expect(await memberOf(business, "+34600000002")).toMatchObject({ first_name: "Madonna", last_name: "-" });
  const receipts =
    "Date,Receipt number,Receipt type,Gross sales,Discounts,Net sales,Taxes,Total collected,Cost of goods,Gross profit,Payment type,Description," +
    "Dining option,POS,Store,Cashier name,Customer name,Customer contacts,Status\n" +
    '7/28/25 1:33 PM,4-10378,Sale,90.00,0.00,90.00,0.00,90.00,0.00,90.00,Cash,"1 x Mug, 1 x Print",Dine in,POS 1,Main St,Owner,Ana María López,"ana@example.com, +34600000001",Closed\n' +
    "7/28/25 1:40 PM,4-10379,Refund,90.00,0.00,90.00,0.00,90.00,0.00,90.00,Cash,1 x Mug,Dine in,POS 1,Main St,Owner,Ana María López,ana@example.com,Closed\n" +
    "7/28/25 2:00 PM,4-10380,Sale,5.00,0.00,5.00,0.00,5.00,0.00,5.00,Cash,1 x Tea,Dine in,POS 1,Main St,Owner,Madonna,+34600000002,Cancelled\n" +
    "7/28/25 2:10 PM,4-10381,Sale,5.00,0.00,5.00,0.00,5.00,0.00,5.00,Cash,1 x Tea,Dine in,POS 1,Main St,Owner,,,Closed\n";
  // The number of the receipt that a refund is of is not in the file.
  expect(await imported(id, "sales", receipts)).toMatchObject({
    form: { from: "loyverse" },
    result: {
      ...{ lines: 4, imported: 1, rejected: 1, left_out: 2 },
      notes: expect.arrayContaining(["Refunds that were left out: 1 line, -90.00 EUR."]),
    },
  });
  const items =
    "Date,Receipt number,Receipt type,Category,SKU,Item,Variant,Modifiers applied,Quantity,Gross sales,Discounts,Net sales,Cost of goods," +
    "Gross profit,Taxes,Dining option,POS,Store,Cashier name,Customer name,Customer contacts,Comment,Status\n" +
    "7/28/25 1:33 PM,4-10378,Sale,Food,1,Mug,,,1.000,45.00,0.00,45.00,0.00,45.00,0.00,Dine in,POS 1,Main St,Owner,Ana María López,+34600000001,,Closed\n" +
    "7/28/25 1:33 PM,4-10378,Sale,Food,2,Print,,,2.000,45.00,0.00,45.00,0.00,45.00,0.00,Dine in,POS 1,Main St,Owner,Ana María López,+34600000001,,Closed\n";
  const { result } = await imported(id, "sales", items);
  expect(result).toMatchObject({ joined: 1, skipped: 1, rejected: 0 });
  // The system writes the amount of each line, so nobody is asked whether it is that of the receipt.
  expect(String(result.notes)).not.toContain("all lines have the same");
  expect(await salesOf(business, "+34600000001")).toEqual([["2025-07-28 13:33:00", 9000, "4-10378"]]);
});

it("customers and orders of Magento, of which those that are closed are refunded", async () => {
  const { business, id } = await shop("America/New_York", "USD");
  const customers =
    '"ID","Name","Email","Group","Phone","ZIP","Country","State/Province","Customer Since","Web Site","Date of Birth"\n' +
    '"1","Veronica Costello","roni@example.com","General","+12025550121","49628","United States","Michigan","Jan 5, 2025 10:12:33 AM","Main Website","Dec 15, 1973"\n';
  const { form, result } = await imported(id, "members", customers);
  expect([form.from, result.imported, result.rejected]).toEqual(["magento", 1, 0]);
  expect(await memberOf(business, "+12025550121")).toMatchObject({
    ...{ first_name: "Veronica", last_name: "Costello", date_of_birth: "1973-12-15", external_ref: "1" },
  });
  const order = (no: number, status: string, email = "roni@example.com", refunded = "") =>
    `"00000000${no}","Main Website\n  Main Website Store\n    Default Store View","Feb ${no}, 2025 14:15:00 PM","Veronica Costello",` +
    `"Veronica Costello","36.3900","36.3900","${status}","6146 Honey Bluff Parkway,Calder,Michigan","6146 Honey Bluff Parkway","Flat Rate - Fixed",` +
    `"${email}","General","29.0000","5.0000","Veronica Costello","checkmo","${refunded}"\n`;
  const statuses = [
    "Closed",
    "Canceled",
    "On Hold",
    "Pending",
    "Pending Payment",
    "Payment Review",
    "Suspected Fraud",
  ];
  const orders =
    '"ID","Purchase Point","Purchase Date","Bill-to Name","Ship-to Name","Grand Total (Base)","Grand Total (Purchased)","Status","Billing Address",' +
    '"Shipping Address","Shipping Information","Customer Email","Customer Group","Subtotal","Shipping and Handling","Customer Name","Payment Method","Total Refunded"\n' +
    order(1, "Processing") +
    order(2, "Complete", undefined, "10.0000") +
    statuses.map((status) => order(3, status)).join("") +
    order(4, "Complete", "");
  expect(await imported(id, "sales", orders)).toMatchObject({
    form: { from: "magento", amount_unit: "major" },
    result: {
      ...{ lines: 10, imported: 2, rejected: 0, left_out: 8 },
      notes: expect.arrayContaining(statuses.map((status) => `Left out: 1 line with ${status}.`)),
    },
  });
  expect(await salesOf(business, "+12025550121")).toEqual([
    ["2025-02-01 14:15:00", 3639, "000000001"],
    ["2025-02-02 14:15:00", 2639, "000000002"],
  ]);
});

it("customers and orders of PrestaShop, by queries of its tables, which its lists lead to", async () => {
  const { business, id } = await shop("Europe/Paris");
  const lists = {
    members:
      "ID;Social title;First name;Last name;Email address;Sales;Enabled;Newsletter;Registration;Last visit\n" +
      "2;Mme;Ana;Petit;ana@example.com;90.00;1;0;2025-01-02 10:00:00;2025-02-02 10:00:00\n",
    sales:
      "ID;Reference;New client;Delivery;Customer;Total;Payment;Status;Date\n" +
      "5;XKBKNABJK;1;France;A. Petit;90.00;Bank wire;Payment accepted;2025-01-03 10:00:00\n",
  };
  for (const [kind, list] of Object.entries(lists))
    expect((await preview(await upload(id, list), { kind })).problem).toMatch(
      /of Advanced Parameters > Database \(SELECT (?:c\.)?id_customer, .*\)\. The columns are/,
    );
  const customers =
    '"id_customer";"firstname";"lastname";"email";"date_add";"phone";"phone_mobile"\n' +
    '"2";"Ana";"Petit";"ana@example.com";"2025-01-02 10:00:00";"";"+33612345678"\n' +
    '"3";"Luc";"Roy";"luc@example.com";"2025-01-02 10:00:00";"+33140205050";""\n';
  expect(await imported(id, "members", customers)).toMatchObject({
    form: { from: "prestashop" },
    result: { imported: 2, rejected: 0 },
  });
  const orders =
    '"id_customer";"reference";"date_add";"total_paid_tax_incl"\n' +
    '"2";"XKBKNABJK";"2025-01-03 10:00:00";"90.000000"\n"3";"OHSATSERP";"2025-01-04 11:30:00";"1204.500000"\n';
  expect(await imported(id, "sales", orders)).toMatchObject({
    form: { from: "prestashop", amount_unit: "major" },
    result: { imported: 2, rejected: 0 },
  });
  expect(await salesOf(business, "+33140205050")).toEqual([["2025-01-04 11:30:00", 120_450, "OHSATSERP"]]);
});

it("sales history of Lightspeed X-Series", async () => {
  const { business, id } = await shop("Pacific/Auckland", "NZD");
  const customers = await imported(
    id,
    "members",
    "customer_code,customer_group_name,first_name,last_name,email,phone,mobile\nAna-1,All,Ana,Diaz,,,+64211234567\n",
  );
  expect(customers).toMatchObject({ form: { from: "lightspeed-x" }, result: { imported: 1 } });
  const columns =
    "Date,Receipt Number,Line Type,Customer Code,Customer Name,Note,Quantity,Subtotal,Sales Tax,Discount,Loyalty,Total,Paid,Details,Register,User,Status,Sku\n";
  const sale = (code: string, receipt: number, total: string, status = "CLOSED") =>
    `2026-01-0${receipt} 10:00:00,${receipt},Sale,${code},,,3,20.00,3.00,0.00,0.00,${total},${total},,Main Register,Jo,${status},\n` +
    `2026-01-0${receipt} 10:00:00,${receipt},Sale Line,${code},,,3,20.00,3.00,0.00,0.00,${total},,3 x Tea,Main Register,Jo,,TEA-1\n` +
    `2026-01-0${receipt} 10:00:00,${receipt},Payment,${code},,,,,,,,,${total},Cash,Main Register,Jo,,\n`;
  const { form, result } = await imported(
    id,
    "sales",
    columns +
      sale("Ana-1", 4, "-23.00") +
      sale("Ana-1", 3, "11.50", "VOIDED") +
      sale("", 2, "5.00") +
      sale("Ana-1", 1, "23.00"),
  );
  expect(form).toMatchObject({ from: "lightspeed-x", amount_unit: "major" });
  expect(result).toMatchObject({
    ...{ lines: 12, joined: 0, imported: 1, rejected: 1, left_out: 10 },
    reasons: [{ reason: "amount is a refund, and no sale of the member has its reference_id." }],
    notes: expect.arrayContaining([
      "Left out: 4 lines with Sale Line.",
      "Left out: 4 lines with Payment.",
      "Left out: 1 line with VOIDED.",
      "Left out: 1 line without a customer.",
      "Refunds that were left out: 1 line, -23.00 NZD.",
    ]),
  });
  expect(await salesOf(business, "+64211234567")).toEqual([["2026-01-01 10:00:00", 2300, "1"]]);
});

it("a file of another kind is named, and unknown words about receipts are rejected", async () => {
  const { id } = await shop("Europe/Madrid");
  const text =
    "Date,Receipt number,Receipt type,Net sales,Customer contacts,Status\n2025-07-28,1,Sale,9.00,+34600000001,Closed\n" +
    "2025-07-28,2,Chargeback,9.00,+34600000001,Closed\n";
  const asMembers = await preview(await upload(id, text), { kind: "members" });
  expect(asMembers.problem).toContain("The file looks like an export of sales: import it as sales.");
  const asSales = await preview(await upload(id, text), { amount_unit: undefined });
  expect((asSales.result as Body).reasons).toContainEqual({
    ...{
      reason:
        "sale_type is not known: Chargeback (say paid, refund or cancelled, or leave sale_type out in columns).",
      lines: 1,
      first_lines: [3],
    },
  });
  const other = await preview(await upload(id, text), { from: "woocommerce" });
  expect(other.problem).toBe(
    "The columns of sales of WooCommerce are not known. Leave from away, and name the columns in columns.",
  );
  // Other options count beside that of the system.
  const dated = { from: "loyverse", date_format: "DD/MM/YYYY", amount_unit: undefined };
  const days = text.replaceAll("2025-07-28", "03/04/2025");
  expect((await preview(await upload(id, days), dated)).result).toMatchObject({ rejected: 2 });
  expect(JSON.stringify((await preview(await upload(id, days), dated)).form)).toContain("2025-04-03");
});
