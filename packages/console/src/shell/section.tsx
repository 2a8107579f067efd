import { Group, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface SectionProps {
  readonly title: string;
  /** Buttons and choices beside the title. */
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page, with its heading. */
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
