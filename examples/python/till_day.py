"""A day at a till: members sign up, buy, pay from the wallet, and the books are compared in the evening.

Usage: python3 till_day.py [path/to/demo.json]
Without a path it reads data/demo.json, which the first start of the service writes.
"""
import json
import sys
import uuid

from loyalty_client import LoyaltyClient, LoyaltyError


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
    try:
        client.members_create(**new)
        raise AssertionError("a phone number was taken twice")
    except LoyaltyError as error:
        assert error.code == "member_already_exists" and error.details["fields"] == ["phone_number"], error
    assert client.members_list(search=phone_number)[0]["contact_id"] == contact_id

    # The customer tops up, pays, and earns points. Each receipt is two writes with two keys.
    credit = dict(contact_id=contact_id, location_id=location_id, amount=5000, adjustment_type="credit")
    topped_up = client.wallet_adjust(idempotency_key=f"top-up-{day}", **credit)
    assert topped_up["balance_after"] == 5000
    for receipt, amount in enumerate([1250, 990, 2000], start=1):
        name = f"receipt-{day}-{receipt}"
        debit = dict(contact_id=contact_id, location_id=location_id, amount=amount, adjustment_type="debit")
        paid = client.wallet_adjust(idempotency_key=f"{name}-wallet", **debit)
        # The connection breaks before the response arrives: the till sends the same request again.
        assert client.wallet_adjust(idempotency_key=f"{name}-wallet", **debit) == paid
        points = dict(contact_id=contact_id, points=amount // 100, adjustment_type="credit", reference_id=name)
        client.reward_points_adjust(idempotency_key=f"{name}-points", reason="Receipt\nThank you", **points)
    try:
        client.wallet_adjust(**dict(credit, amount=10_000, adjustment_type="debit"))
        raise AssertionError("more was paid than the wallet held")
    except LoyaltyError as error:
        assert error.code == "insufficient_balance" and error.details["balance"] == 760, error

    # The customer corrects a name and removes the e-mail address.
    client.members_update(contact_id=contact_id, last_name="López Díaz", email="ana@example.com")
    assert client.members_profile_update(contact_id=contact_id, email=None)["email"] is None

    # In the evening the till compares its receipts with the ledger.
    entries = client.transactions_list(contact_id=contact_id, event_types=[], per_page=100)
    wallet = [entry["amount"] for entry in entries if entry["event_type"] == "wallet_adjustment"]
    points = [entry["amount"] for entry in entries if entry["event_type"] == "reward_points_adjustment"]
    assert sorted(wallet) == [-2000, -1250, -990, 5000] and sorted(points) == [9, 12, 20], entries
    print(f"Member {contact_id}: wallet {sum(wallet)}, points {sum(points)}, {len(entries)} entries. All as recorded.")


if __name__ == "__main__":
    main(*sys.argv[1:])
