/** One member. */
import { useParams } from "wouter";
import { outputOf } from "../../api/declarations.ts";
import { useRead } from "../../api/queries.ts";
import { useBusiness } from "../../business.tsx";
import { FailureAlert } from "../../feedback/failure.tsx";
import { Loading } from "../../feedback/loading.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { Details } from "../../tables/details.tsx";

export function MemberPage() {
  const { business_id } = useBusiness();
  const contact_id = Number(useParams<{ contact_id: string }>().contact_id);
  const read = useRead("/op/members/get", { business_id, contact_id });
  if (read.isPending) return <Loading />;
  if (read.error) return <FailureAlert error={read.error} onRetry={() => void read.refetch()} />;
  const member = read.data.data;
  return (
    <>
      <PageTitle title={`${member.first_name} ${member.last_name}`} />
      <Details record={member} fields={outputOf("/op/members/get")} />
    </>
  );
}
