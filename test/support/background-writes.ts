import type { Database } from "../../src/database/connection.ts";

/**
 * Keeps background work from changing tables that a test compares before and after requests: webhooks are not sent, because
 * another process seems to have the lease of each endpoint, notices are not marked as complete, and all entries seem to be counted.
 */
export async function holdBackgroundWrites(sql: Database): Promise<void> {
  await sql.query(`
    CREATE OR REPLACE FUNCTION hold_lease() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN NEW.leased_by := 'nobody'; NEW.leased_until := 'infinity'; RETURN NEW; END $$`);
  await sql.query(`
    CREATE OR REPLACE TRIGGER hold_lease BEFORE INSERT OR UPDATE ON webhook_endpoint
    FOR EACH ROW EXECUTE FUNCTION hold_lease()`);
  await sql.query(`
    CREATE OR REPLACE FUNCTION hold_notices() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN NEW.noticed_on := OLD.noticed_on; RETURN NEW; END $$`);
  await sql.query(`
    CREATE OR REPLACE TRIGGER hold_notices BEFORE UPDATE OF noticed_on ON ledger
    FOR EACH ROW EXECUTE FUNCTION hold_notices()`);
  await sql.query(`
    CREATE OR REPLACE FUNCTION hold_counting() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN NEW.counted_entries := 1e12; RETURN NEW; END $$`);
  await sql.query(`
    CREATE OR REPLACE TRIGGER hold_counting BEFORE INSERT OR UPDATE ON ledger_count
    FOR EACH ROW EXECUTE FUNCTION hold_counting()`);
  await sql.query("UPDATE ledger_count SET counted_entries = 0");
}
