/** The programs of partners. */
import { useLocation } from "wouter";
import { ListPage } from "../../tables/list-page.tsx";
import { texts } from "../../texts/en.ts";

export function IntegrationsPage() {
  const [, navigate] = useLocation();
  return (
    <ListPage
      words={texts.integrations}
      path="/op/integrations/list"
      create="/op/integrations/create"
      onCreated={({ data }) => navigate(`/integrations/${data.integration_id}`)}
      columns={["name", "enabled", "scopes", "created_at"]}
      linkTo={({ integration_id }) => `/integrations/${integration_id}`}
    />
  );
}
