/** Every operator operation, in the order in which the documents show them. */
import type { Operation } from "../contract/operation.ts";
import { createBusiness } from "./operator/businesses/create.ts";

export const operatorOperations: readonly Operation[] = [createBusiness];
