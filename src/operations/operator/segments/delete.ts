import { segmentRecords } from "../../members/member-filters.ts";

export const deleteSegment = segmentRecords.remove({
  path: "/op/segments/delete",
  role: "manager",
  sensitive: true,
  event: "segment.deleted",
  summary: "Delete a segment",
  message: "Segment deleted.",
  description: "Deletes saved filters. Nothing happens to the members.",
});
