import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Words } from "./words.tsx";

interface OfSale {
  readonly sale_id: number | null;
  readonly reference_id: string | null;
}

/** The receipt of what belongs to a sale, which leads to the page of the sale; a reference of something else leads nowhere. */
export function saleLink({ sale_id, reference_id }: OfSale): ReactNode {
  if (sale_id === null) return reference_id && <Words>{reference_id}</Words>;
  return (
    <Anchor component={Link} href={`/sales/${sale_id}`} inherit>
      <Words>{reference_id ?? String(sale_id)}</Words>
    </Anchor>
  );
}
