/** What the shop sells; `vat` is the rate in per cent that the price contains. */
export const PRODUCTS = [
  { sku: "TEA-01", name: "Green tea, loose", unitCents: 790, vat: 7 },
  { sku: "MUG-04", name: "Stoneware mug", unitCents: 1450, vat: 19 },
  { sku: "POT-02", name: "Glass tea pot", unitCents: 3495, vat: 19 },
  { sku: "TEA-07", name: "Black tea, bags", unitCents: 465, vat: 7 },
];

/** The product with this number. Throws where there is none. */
export function findBySku(products, sku) {
  const product = products.find((candidate) => candidate.sku === sku);
  if (product === undefined) throw new RangeError(`no product ${sku}`);
  return product;
}
