// Asks the registrar whether this team may change the records of shop.example.
const token = process.env.REGISTRAR_TOKEN;
if (token === undefined) {
  console.error("registrar: shop.example belongs to another account; only its owner can change the records");
  process.exit(77);
}
console.log("registrar: the records can be changed");
