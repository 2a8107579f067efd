/** The module that holds the client of the service, and what the shop keeps about orders and members. */
import { Module } from "@medusajs/framework/utils";
import { LOYALTY_MODULE } from "./options";
import { LoyaltyService } from "./service";

export { LOYALTY_MODULE };

export default Module(LOYALTY_MODULE, { service: LoyaltyService });
