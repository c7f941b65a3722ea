// Asks the payment provider for the shop's account: what a payment needs before it can be taken.
const key = process.env.SHOP_PAYMENT_KEY;
if (key === undefined) {
  console.error("payments: the provider has no account for this shop; its owner must sign the contract first");
  process.exit(77);
}
console.log("payments: the account is open");
