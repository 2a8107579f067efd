export { payWithLoyaltyWorkflow } from "./pay-with-loyalty";
export { settleLoyaltyOrderWorkflow } from "./settle-loyalty-order";
