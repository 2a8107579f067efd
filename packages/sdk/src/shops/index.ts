/** For plugins of shop systems: orders become sales, what comes back becomes refunds, and customers are members. */
export {
  type MemberSettings,
  memberOf,
  type NoMember,
  phoneNumberOf,
  type ShopCustomer,
} from "./member.ts";
export { majorUnits, minorUnits } from "./money.ts";
export {
  orderKey,
  quoteOf,
  type ShopLine,
  type ShopOrder,
  type ShopSale,
  type ShopSettings,
  saleOf,
} from "./order.ts";
export {
  type RefundableSale,
  type RefundPart,
  type ReturnedLine,
  refundOf,
  type ShopReturns,
} from "./refund.ts";
export {
  type AfterFailure,
  afterFailure,
  findOrder,
  type RecordedOrder,
  type RecordedSale,
  recordOrder,
  refundOrder,
  undoOrder,
} from "./sending.ts";
