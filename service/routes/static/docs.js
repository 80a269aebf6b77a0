// Shows the service's own OpenAPI document; it sends nothing to any other host.
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#documentation",
  validatorUrl: null,
  deepLinking: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
});
