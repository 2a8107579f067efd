"""A day at a till: members sign up, buy, pay from the wallet, and the books are compared in the evening.

Usage: python3 till_day.py [path/to/demo.json]
Without a path it reads data/demo.json, which the first start of the service writes.
"""
import json
import sys
import uuid

from loyalty_client import LoyaltyClient, LoyaltyError


def check(found, expected):
    if found != expected:
        raise SystemExit(f"Expected {expected}, found {found}.")


def rejection(call, **fields):
    """The error that a call gets."""
    try:
        return f"success: {call(**fields)}", {}
    except LoyaltyError as error:
        return error.code, error.details


def main(demo_file="data/demo.json"):
    with open(demo_file, encoding="utf-8") as file:
        demo = json.load(file)
    client = LoyaltyClient(demo["base_url"], demo["client_id"], demo["client_secret"])
    location_id = demo["location_ids"][0]
    day = uuid.uuid4().hex[:8]

    # A customer signs up. The phone number finds a member who is already there.
    phone_number = f"+999{uuid.uuid4().int % 10**10:010d}"
    new = dict(first_name="Ana", last_name="López", phone_number=phone_number, email=None)
    contact_id = client.members_create(idempotency_key=f"member-{phone_number}", **new)["contact_id"]
    taken = {"field": "phone_number", "fields": ["phone_number"]}
    check(rejection(client.members_create, **new), ("member_already_exists", taken))
    check(client.members_list(search=phone_number)[0]["contact_id"], contact_id)

    # The customer tops up, pays, and earns points. Each receipt is two writes with two keys.
    credit = dict(contact_id=contact_id, location_id=location_id, amount=5000, adjustment_type="credit")
    topped_up = client.wallet_adjust(idempotency_key=f"top-up-{day}", **credit)
    check(topped_up["balance_after"], 5000)
    for receipt, amount in enumerate([1250, 990, 2000], start=1):
        name = f"receipt-{day}-{receipt}"
        debit = dict(contact_id=contact_id, location_id=location_id, amount=amount, adjustment_type="debit")
        paid = client.wallet_adjust(idempotency_key=f"{name}-wallet", **debit)
        # The connection breaks before the response arrives: the till sends the same request again.
        check(client.wallet_adjust(idempotency_key=f"{name}-wallet", **debit), paid)
        points = dict(contact_id=contact_id, points=amount // 100, adjustment_type="credit", reference_id=name)
        client.reward_points_adjust(idempotency_key=f"{name}-points", reason="Receipt\nThank you", **points)
    too_much = dict(credit, amount=10_000, adjustment_type="debit")
    check(rejection(client.wallet_adjust, **too_much), ("insufficient_balance", {"balance": 760}))

    # The customer corrects a name and removes the e-mail address.
    client.members_update(contact_id=contact_id, last_name="López Díaz", email="ana@example.com")
    check(client.members_profile_update(contact_id=contact_id, email=None)["email"], None)
    client.members_password_change(contact_id=contact_id, new_password=f"till {uuid.uuid4()}")

    # The shop changes its program: benefits, points, tiers, vouchers.
    benefit = dict(title="Top up 50", amount=5000, promo_amount=500, location_id=location_id, status="active")
    benefit_id = client.wallet_topup_benefits_create(**benefit)["benefit_id"]
    check(client.wallet_topup_benefits_update(benefit_id=benefit_id, status="inactive")["status"], "inactive")
    check(client.reward_settings_update(rp_name="Stars")["rp_name"], "Stars")
    program = client.reward_programs_update(program_id=demo["program_ids"][0], maximum_points_per_order=500)
    check(program["maximum_points_per_order"], 500)
    tier = client.member_tiers_list()[0]
    check(client.member_tiers_update(tier_id=tier["tier_id"], name=tier["name"])["name"], tier["name"])
    check(rejection(client.member_tiers_delete, tier_id=2**53 - 1), ("tier_not_found", {}))
    check(client.vouchers_get(voucher_id=demo["voucher_ids"][0])["archived"], False)

    # In the evening the till compares its receipts with the ledger.
    entries = list(client.transactions_list.every(contact_id=contact_id, event_types=[], per_page=3))
    wallet = [entry["amount"] for entry in entries if entry["event_type"] == "wallet_adjustment"]
    points = [entry["amount"] for entry in entries if entry["event_type"] == "reward_points_adjustment"]
    check((sorted(wallet), sorted(points)), ([-2000, -1250, -990, 5000], [9, 12, 20]))
    print(f"Member {contact_id}: wallet {sum(wallet)}, points {sum(points)}, {len(entries)} entries. All as recorded.")


if __name__ == "__main__":
    main(*sys.argv[1:])
