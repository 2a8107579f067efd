import { changedSegment, segmentRecords } from "../../members/member-filters.ts";

export const updateSegment = segmentRecords.update({
  path: "/op/segments/update",
  role: "manager",
  event: "segment.updated",
  summary: "Update a segment",
  message: "Segment updated.",
  description: "Renames a segment, or replaces its filters: those that you send are then all that it has.",
  ...changedSegment,
});
