import { newTokenGeneration } from "../../../database/access/integrations.ts";
import { changesIntegration } from "../../access/integrations.ts";

export const disableIntegration = changesIntegration(
  {
    path: "/op/integrations/disable",
    role: "manager",
    event: "integration.disabled",
    summary: "Disable an integration",
    message: "Integration disabled.",
    description:
      "Within five seconds, all requests of the integration are rejected, and it gets no new tokens. Its earlier " +
      "tokens stay rejected, even if you enable it again.",
    confirm:
      "Within five seconds, all requests of the integration are rejected, until you enable it again. Its earlier tokens stay rejected then, too.",
  },
  () => ({ enabled: false, token_generation: newTokenGeneration() }),
);
