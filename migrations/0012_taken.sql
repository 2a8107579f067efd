-- Holds the number of a migration of another branch, and changes nothing. To be replaced by it when the branches meet.
SELECT 1;
