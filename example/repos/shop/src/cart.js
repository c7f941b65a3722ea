/** A cart is a list of lines; every function returns a new cart. */
export function emptyCart() {
  return { lines: [] };
}

/** Adds a product, or raises the quantity of the line that has it. */
export function addProduct(cart, product, quantity = 1) {
  if (!Number.isInteger(quantity) || quantity < 1) throw new RangeError(`not a quantity: ${quantity}`);
  const known = cart.lines.some((line) => line.product.sku === product.sku);
  if (!known) return { lines: [...cart.lines, { product, quantity }] };
  return {
    lines: cart.lines.map((line) => (line.product.sku === product.sku ? { ...line, quantity: line.quantity + quantity } : line)),
  };
}

/** Price of one line, in cents. */
export function lineTotal(line) {
  return line.product.unitCents * line.quantity;
}

/** Price of all lines, in cents, before any coupon. */
export function subtotal(cart) {
  return cart.lines.reduce((sum, line) => sum + lineTotal(line), 0);
}
