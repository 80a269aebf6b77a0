// Shows the service's own OpenAPI document; it sends nothing to any other host.
document.getElementById("address").textContent = new URL("move", document.baseURI).href;
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#documentation",
  validatorUrl: null,
  deepLinking: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
});
