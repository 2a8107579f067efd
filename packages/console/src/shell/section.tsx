import { Group, Title } from "@mantine/core";
import type { ReactNode } from "react";

type SectionProps = Readonly<{ title: string; beside?: ReactNode; children: ReactNode }>;

/** A part of a page, with its heading. @param beside buttons and choices beside the title */
export function Section({ title, beside, children }: SectionProps) {
  return (
    <section>
      <Group justify="space-between" mt="lg" mb="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        {beside}
      </Group>
      {children}
    </section>
  );
}
