<?php
/**
 * The parts of WordPress and WooCommerce that the plugin of the guide uses, for its test. Requests go to the real service, and a third of
 * the responses is lost, by chance but always the same ones. The program reads the orders as JSON, and prints what the plugin stored with them.
 * Usage: php woocommerce.php <plugin> <orders as JSON>
 */
$hooks = $queue = $transients = $options = $user_meta = $orders = [];
mt_srand(58);
$jobs = 0;
define("LOYALTY_URL", getenv("BASE_URL"));
define("LOYALTY_CLIENT_ID", getenv("CLIENT_ID"));
define("LOYALTY_CLIENT_SECRET", getenv("CLIENT_SECRET"));
define("LOYALTY_LOCATION_ID", 1);
define("LOYALTY_EMAILS_ARE_VERIFIED", getenv("EMAILS_ARE_VERIFIED") === "1");

/** What ends a process in the middle of its work. */
class Killed extends Error {}

class WP_Error {
    public function get_error_message(): string { return "The response was lost."; }
}
function is_wp_error($value): bool { return $value instanceof WP_Error; }
function wp_json_encode($value): string { return json_encode($value); }
function wp_remote_post(string $url, array $options) {
    $curl = curl_init($url);
    $headers = array_map(fn($name, $value) => "$name: $value", array_keys($options["headers"]), $options["headers"]);
    curl_setopt_array($curl, [CURLOPT_POST => true, CURLOPT_POSTFIELDS => $options["body"], CURLOPT_HTTPHEADER => $headers,
        CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => $options["timeout"]]);
    $body = curl_exec($curl);
    return mt_rand(0, 2) === 0 ? new WP_Error() : [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $body];
}
function wp_remote_retrieve_response_code(array $response): int { return $response[0]; }
function wp_remote_retrieve_body(array $response): string { return $response[1]; }
function get_transient(string $name) { return $GLOBALS["transients"][$name] ?? false; }
function set_transient(string $name, $value, int $seconds): void { $GLOBALS["transients"][$name] = $value; }
function delete_transient(string $name): void { unset($GLOBALS["transients"][$name]); }
function get_user_meta(int $user, string $name, bool $single) { return $GLOBALS["user_meta"]["$user/$name"] ?? ""; }
function get_userdata(int $user) { return (object) ["user_email" => "account$user@example.com"]; }
function get_option(string $name, $default) { return $GLOBALS["options"][$name] ?? $default; }
function update_option(string $name, $value): void { $GLOBALS["options"][$name] = $value; }
function update_user_meta(int $user, string $name, $value): void { $GLOBALS["user_meta"]["$user/$name"] = $value; }
function add_action(string $hook, callable $do): void { $GLOBALS["hooks"][$hook][] = $do; }
function do_action(string $hook, ...$args): void { foreach ($GLOBALS["hooks"][$hook] ?? [] as $do) $do(...$args); }
function as_enqueue_async_action(string $hook, array $args): void { $GLOBALS["queue"][] = [$hook, $args]; }
function as_schedule_single_action(int $time, string $hook, array $args): void { $GLOBALS["queue"][] = [$hook, $args]; }
function as_unschedule_action(string $hook, array $args): void {
    $found = array_search([$hook, $args], $GLOBALS["queue"]);
    if ($found !== false) array_splice($GLOBALS["queue"], $found, 1);
}
function as_has_scheduled_action(string $hook): bool { return false; }
function as_schedule_recurring_action(int $time, int $seconds, string $hook): void { $GLOBALS["queue"][] = [$hook, []]; }
function wc_get_order(int $id) { return $GLOBALS["orders"][$id] ?? false; }
function wc_get_orders(array $query): array {
    $since = (int) substr($query["date_modified"], 2);
    $ids = array_keys(array_filter($GLOBALS["orders"], fn($order) => $order->modified >= $since));
    return array_slice($ids, ($query["paged"] - 1) * 2, 2); // Smaller pages than the plugin asks for.
}
function get_the_terms(int $product, string $taxonomy) { return [(object) ["slug" => "category-$product"]]; }

/** Answers get_something() with the value of something. */
class WC_Data {
    public array $meta = [];
    public function __construct(protected array $data) { $this->meta = $data["meta"] ?? []; }
    public function __call(string $name, array $args) { return $this->data[substr($name, 4)] ?? null; }
    public function get_meta(string $name) { return $this->meta[$name] ?? ""; }
    public function get_items(array $types): array {
        return array_filter($this->data["items"], fn($item) => in_array($item->get_type(), $types));
    }
    public function set(string $name, $value): void { $this->data[$name] = $value; }
}
class WC_Order extends WC_Data {
    public array $notes = [];
    public int $modified = 0;
    public bool $dies = false;
    public function is_paid(): bool { return in_array($this->data["status"], ["processing", "completed"]); }
    public function update_meta_data(string $name, $value): void {
        [$dies, $this->dies] = [$this->dies, false];
        if ($dies) throw new Killed();
        $this->meta[$name] = $value;
    }
    public function add_order_note(string $note): void { $this->notes[] = $note; }
    public function save(): void { $this->modified = time(); }
    public function get_date_paid() { return isset($this->data["paid"]) ? new WC_DateTime($this->data["paid"]) : null; }
}
class WC_Order_Refund extends WC_Data {}
class WC_DateTime extends DateTime {
}

function items(array $items): array {
    return array_map(function ($item) {
        if (isset($item["sku"])) $item["product"] = new WC_Data(["sku" => $item["sku"]]);
        return new WC_Data($item);
    }, $items);
}

function run_queue(): void {
    while ($job = array_shift($GLOBALS["queue"])) {
        if (++$GLOBALS["jobs"] > 500) throw new Exception("The queue does not end.");
        try {
            do_action($job[0], ...$job[1]);
        } catch (Killed) {
            continue; // Action Scheduler does not repeat an action that was killed.
        }
    }
}

require $argv[1];
foreach (json_decode($argv[2], true) as $id => $order) {
    $refunds = $order["refunds"] ?? [];
    $orders[$id] = new WC_Order(["id" => $id, "items" => items($order["items"]), "refunds" => []] + $order);
    $orders[$id]->dies = $order["dies"] ?? false;
    $orders[$id]->save();
    if (!($order["is_lost"] ?? false)) do_action("woocommerce_payment_complete", $id);
    run_queue();
    foreach ($refunds as $refund) {
        $all = $orders[$id]->get_refunds();
        array_unshift($all, new WC_Order_Refund(["items" => items($refund["items"])] + $refund));
        $orders[$id]->set("refunds", $all);
        $orders[$id]->save();
        if ($order["loses_refunds"] ?? false) continue;
        do_action("woocommerce_order_refunded", $id);
        do_action("woocommerce_order_status_changed", $id);
        run_queue();
    }
    if (isset($order["last_status"])) {
        $orders[$id]->set("status", $order["last_status"]);
        do_action("woocommerce_order_status_changed", $id);
        run_queue();
    }
}
do_action("init");
run_queue();
echo json_encode(array_map(fn($order) => ["sale_id" => $order->get_meta("_loyalty_sale_id"), "notes" => $order->notes], $orders));
