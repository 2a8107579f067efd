/** A choice of a few values, which are all shown. */
import { SegmentedControl, type SegmentedControlProps } from "@mantine/core";

type SegmentsProps<Value extends string> = Omit<SegmentedControlProps<Value>, "data"> &
  Readonly<{ label: string; names: Readonly<Record<Value, string>> }>;

export function Segments<Value extends string>({ label, names, ...control }: SegmentsProps<Value>) {
  const data = Object.entries<string>(names).map(([value, name]) => ({ value: value as Value, label: name }));
  return <SegmentedControl maw="100%" aria-label={label} {...{ data }} {...control} />;
}
