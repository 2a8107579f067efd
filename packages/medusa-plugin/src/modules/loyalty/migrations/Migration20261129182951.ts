import { Migration } from "@medusajs/framework/mikro-orm/migrations";

export class Migration20261129182951 extends Migration {
  override async up(): Promise<void> {
    this.addSql(
      `create table if not exists "loyalty_member" ("customer_id" text not null, "contact_id" text not null, "created_at" timestamptz not null default now(), "updated_at" timestamptz not null default now(), "deleted_at" timestamptz null, constraint "loyalty_member_pkey" primary key ("customer_id"));`,
    );
    this.addSql(
      `CREATE INDEX IF NOT EXISTS "IDX_loyalty_member_deleted_at" ON "loyalty_member" ("deleted_at") WHERE deleted_at IS NULL;`,
    );

    this.addSql(
      `create table if not exists "loyalty_order" ("order_id" text not null, "customer_id" text null, "contact_id" text null, "state" text check ("state" in ('waiting', 'taking', 'recorded', 'undoing', 'undone', 'aside', 'none')) not null, "sale_id" text null, "sale" jsonb null, "problem" text null, "attempts" integer not null default 0, "next_try" timestamptz null, "settled_at" timestamptz null, "created_at" timestamptz not null default now(), "updated_at" timestamptz not null default now(), "deleted_at" timestamptz null, constraint "loyalty_order_pkey" primary key ("order_id"));`,
    );
    this.addSql(
      `CREATE INDEX IF NOT EXISTS "IDX_loyalty_order_deleted_at" ON "loyalty_order" ("deleted_at") WHERE deleted_at IS NULL;`,
    );
    this.addSql(
      `CREATE INDEX IF NOT EXISTS "IDX_loyalty_order_next_try" ON "loyalty_order" ("next_try") WHERE next_try IS NOT NULL AND deleted_at IS NULL;`,
    );
  }

  override async down(): Promise<void> {
    this.addSql(`drop table if exists "loyalty_member" cascade;`);

    this.addSql(`drop table if exists "loyalty_order" cascade;`);
  }
}
